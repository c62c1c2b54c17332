/**
 * A dense array as a network takes and gives it. `data` holds the elements row by row, the last of `dims` running
 * fastest: a photo of S pixels squared is `[1, S, S, 3]`.
 */
export type Tensor =
  | { readonly type: 'uint8'; readonly dims: readonly number[]; readonly data: Uint8Array }
  | { readonly type: 'float32'; readonly dims: readonly number[]; readonly data: Float32Array }
  | { readonly type: 'float64'; readonly dims: readonly number[]; readonly data: Float64Array }
  | { readonly type: 'int64'; readonly dims: readonly number[]; readonly data: BigInt64Array };

/** By the names that the network gives its inputs or outputs. */
export type Tensors = Readonly<Record<string, Tensor>>;

/** An input as the network describes it; a dimension that may vary has a name instead of a length. */
export interface TensorShape {
  readonly name: string;
  readonly type: string;
  readonly dims: readonly (number | string)[];
}

/** The memory of these arrays, to be handed to another thread; afterwards they are empty here. */
export function memoryOf(tensors: Tensors): ArrayBuffer[] {
  return [...new Set(Object.values(tensors).map(({ data }) => data.buffer as ArrayBuffer))];
}

/** The same tensors, each in memory of its own: what shares it (with Node's pool of Buffers, say) is copied. */
export function owned(tensors: Tensors): Tensors {
  return Object.fromEntries(
    Object.entries(tensors).map(([name, tensor]) => {
      const { data } = tensor;
      const alone = data.byteLength === data.buffer.byteLength && data.buffer instanceof ArrayBuffer;
      return [name, alone ? tensor : copy(tensor)];
    }),
  );
}

function copy(tensor: Tensor): Tensor {
  switch (tensor.type) {
    case 'uint8':
      return { ...tensor, data: new Uint8Array(tensor.data) };
    case 'float32':
      return { ...tensor, data: new Float32Array(tensor.data) };
    case 'float64':
      return { ...tensor, data: new Float64Array(tensor.data) };
    case 'int64':
      return { ...tensor, data: new BigInt64Array(tensor.data) };
  }
}
