/**
 * A tiny ONNX network, so that tests need no trained model: `map` holds `cells` × `cells` mean colours (0..1),
 * `features` the overall mean. A class with weights [1, 0, 0] is "red".
 *
 * `image` uint8 [N, size, size, 3], 255 scaled to `white` → `features` float32 [N, 3], `map` float32 [N, 3, cells,
 * cells].
 */
export function colourNetwork({ size = 32, cells = 4, white = 1 } = {}): Buffer {
  const FLOAT = 1;
  const UINT8 = 2;
  const window = size / cells;
  const scale = message([2, FLOAT], [8, 'scale'], [9, Buffer.from(new Float32Array([white / 255]).buffer)]);
  const graph = message(
    [1, node('Cast', ['image'], 'floats', [message([1, 'to'], [3, FLOAT], [20, 2])])],
    [1, node('Transpose', ['floats'], 'planes', [integers('perm', [0, 3, 1, 2])])],
    [1, node('Mul', ['planes', 'scale'], 'colours')],
    [
      1,
      node('AveragePool', ['colours'], 'map', [
        integers('kernel_shape', [window, window]),
        integers('strides', [window, window]),
      ]),
    ],
    [1, node('GlobalAveragePool', ['map'], 'mean')],
    [1, node('Flatten', ['mean'], 'features')],
    [2, 'colours'],
    [5, scale],
    [11, tensor('image', UINT8, ['N', size, size, 3])],
    [12, tensor('features', FLOAT, ['N', 3])],
    [12, tensor('map', FLOAT, ['N', 3, cells, cells])],
  );
  return message([1, 7], [2, 'assay-tests'], [7, graph], [8, message([1, ''], [2, 13])]);
}

// Field numbers of onnx.proto3: ModelProto, GraphProto, NodeProto, AttributeProto, TensorProto.

function node(kind: string, inputs: string[], output: string, attributes: Buffer[] = []): Buffer {
  return message(
    ...inputs.map((input): Field => [1, input]),
    [2, output],
    [4, kind],
    ...attributes.map((attribute): Field => [5, attribute]),
  );
}

function integers(name: string, values: number[]): Buffer {
  return message([1, name], ...values.map((value): Field => [8, value]), [20, 7]);
}

function tensor(name: string, type: number, dims: (number | string)[]): Buffer {
  const shape = message(...dims.map((dim): Field => [1, message(typeof dim === 'number' ? [1, dim] : [2, dim])]));
  return message([1, name], [2, message([1, message([1, type], [2, shape])])]);
}

type Field = [number: number, value: number | string | Buffer];

function message(...fields: Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number') return [varint(number << 3), varint(value)];
      const bytes = Buffer.from(value as string);
      return [varint((number << 3) | 2), varint(bytes.length), bytes];
    }),
  );
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}
