import { InferenceSession, Tensor } from 'onnxruntime-node';
import { FRAMES } from './log-mel.ts';

/** Immutable decoder state after a token; any state can be continued several times. */
export interface DecoderState {
  readonly logits: Float32Array;
  /** Attention of the last token over the audio: per head of `alignmentHeads`, [1500] values of 20 ms. */
  readonly attention: readonly Float32Array[];
  step(token: number): Promise<DecoderState>;
}

export async function openNetwork(
  files: { readonly encoder: string; readonly decoder: string },
  { threads, alignmentHeads }: { threads: number; alignmentHeads: readonly (readonly [number, number])[] },
) {
  const options: InferenceSession.SessionOptions = {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // Spinning threads cost as much CPU as working ones.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
  // An arena would keep the attention memory of 30 s: 1.2 GB instead of 0.5 GB, for 7 % less time.
  const encoder = await InferenceSession.create(files.encoder, { ...options, enableCpuMemArena: false });
  const decoder = await InferenceSession.create(files.decoder, options);
  const pasts = decoder.inputNames.filter((name) => name.startsWith('past_key_values.'));
  const [, heads, , width] = shapeOf(decoder, pasts[0] ?? 'past_key_values.0.decoder.key');
  if (typeof heads !== 'number' || typeof width !== 'number') throw new Error('The decoder has no fixed key shape.');

  const layers = [...new Set(alignmentHeads.map(([layer]) => layer))];
  const attentions = layers.map((layer) => `cross_attentions.${layer}`);
  const isEncoderPast = (name: string) => name.includes('.encoder.');
  const presentOf = (name: string) => name.replace('past_key_values', 'present');
  const firstOutputs = ['logits', ...attentions, ...pasts.map(presentOf)];
  const laterOutputs = ['logits', ...attentions, ...pasts.filter((name) => !isEncoderPast(name)).map(presentOf)];

  const attentionOf = (outputs: Outputs) =>
    alignmentHeads.map(([layer, head]) => {
      const { data, dims } = outputs[`cross_attentions.${layer}`]!;
      const [length, frames] = [dims[2]!, dims[3]!];
      const from = ((head + 1) * length - 1) * frames;
      return (data as Float32Array).slice(from, from + frames);
    });
  const pastOf = (outputs: Outputs, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, outputs[presentOf(name)]!]));

  async function hear(mel: Float32Array, first: number): Promise<DecoderState> {
    const input = { input_features: new Tensor('float32', mel, [1, mel.length / FRAMES, FRAMES]) };
    // Only this output: the encoder's attentions are 400 MB.
    const encoded = (await encoder.run(input, ['last_hidden_state']))['last_hidden_state']!;
    const emptyPast = new Tensor('float32', new Float32Array(0), [1, heads as number, 0, width as number]);
    const outputs = await decoder.run(
      {
        ...Object.fromEntries(pasts.map((name) => [name, emptyPast])),
        input_ids: tokens(first),
        encoder_hidden_states: encoded,
        use_cache_branch: flag(false),
      },
      firstOutputs,
    );
    const constant = { ...pastOf(outputs, pasts.filter(isEncoderPast)), encoder_hidden_states: encoded };
    const decoderPasts = pasts.filter((name) => !isEncoderPast(name));

    const toState = (outputs: Outputs): DecoderState => {
      const past = pastOf(outputs, decoderPasts);
      return {
        logits: outputs['logits']!.data as Float32Array,
        attention: attentionOf(outputs),
        async step(token) {
          const feeds = { ...constant, ...past, input_ids: tokens(token), use_cache_branch: flag(true) };
          return toState(await decoder.run(feeds, laterOutputs));
        },
      };
    };
    return toState(outputs);
  }

  return {
    start: hear,
    async close(): Promise<void> {
      await Promise.all([encoder.release(), decoder.release()]);
    },
  };
}

type Outputs = InferenceSession.OnnxValueMapType;

function shapeOf(session: InferenceSession, input: string): readonly (number | string)[] {
  const found = session.inputMetadata.find(({ name }) => name === input);
  if (!found?.isTensor) throw new Error(`The network has no input ${input}.`);
  return found.shape;
}

const tokens = (token: number) => new Tensor('int64', BigInt64Array.of(BigInt(token)), [1, 1]);
const flag = (value: boolean) => new Tensor('bool', Uint8Array.of(value ? 1 : 0), [1]);
