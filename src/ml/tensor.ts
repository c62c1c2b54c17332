/** A dense row-major array: a square photo of S pixels is `[1, S, S, 3]`. */
export type Tensor =
  | { readonly type: 'uint8'; readonly dims: readonly number[]; readonly data: Uint8Array }
  | { readonly type: 'float32'; readonly dims: readonly number[]; readonly data: Float32Array }
  | { readonly type: 'float64'; readonly dims: readonly number[]; readonly data: Float64Array }
  | { readonly type: 'int32'; readonly dims: readonly number[]; readonly data: Int32Array }
  | { readonly type: 'int64'; readonly dims: readonly number[]; readonly data: BigInt64Array };

export type Tensors = Readonly<Record<string, Tensor>>;

/** A network input; variable dimensions have a name instead of a length. */
export interface TensorShape {
  readonly name: string;
  readonly type: string;
  readonly dims: readonly (number | string)[];
}

/** Buffers for a transfer list; the tensors are empty after the transfer. */
export function transferListOf(tensors: Tensors): ArrayBuffer[] {
  return [...new Set(Object.values(tensors).map(({ data }) => data.buffer as ArrayBuffer))];
}

/** Copies tensors that share a buffer (for example Node's Buffer pool). */
export function withOwnBuffers(tensors: Tensors): Tensors {
  return mapTensors(tensors, (tensor) => {
    const { data } = tensor;
    const ownsBuffer = data.byteLength === data.buffer.byteLength && data.buffer instanceof ArrayBuffer;
    return ownsBuffer ? tensor : copy(tensor);
  });
}

const mapTensors = (tensors: Tensors, change: (tensor: Tensor) => Tensor): Tensors =>
  Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, change(tensor)]));

function copy(tensor: Tensor): Tensor {
  switch (tensor.type) {
    case 'uint8':
      return { ...tensor, data: new Uint8Array(tensor.data) };
    case 'float32':
      return { ...tensor, data: new Float32Array(tensor.data) };
    case 'float64':
      return { ...tensor, data: new Float64Array(tensor.data) };
    case 'int32':
      return { ...tensor, data: new Int32Array(tensor.data) };
    case 'int64':
      return { ...tensor, data: new BigInt64Array(tensor.data) };
  }
}

/** The images of a batch; the data is shared. */
export function unstack(tensors: Tensors, images: number): Tensors[] {
  if (images === 1) return [tensors];
  return Array.from({ length: images }, (_, i) =>
    mapTensors(tensors, ({ type, dims, data }) => {
      const length = data.length / images;
      return { type, dims: [1, ...dims.slice(1)], data: data.subarray(i * length, (i + 1) * length) } as Tensor;
    }),
  );
}

/** Adds a first dimension for the images. All have the same tensors. */
export function stack(images: readonly Tensors[]): Tensors {
  return Object.fromEntries(
    Object.entries(images[0]!).map(([name, { type, dims, data }]) => {
      const all = new (data.constructor as Float32ArrayConstructor)(images.length * data.length);
      for (const [i, image] of images.entries()) all.set(image[name]!.data as Float32Array, i * data.length);
      return [name, { type, dims: [images.length, ...dims], data: all } as Tensor];
    }),
  );
}

export function argmax(values: ArrayLike<number>): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i]! > values[best]!) best = i;
  return best;
}
