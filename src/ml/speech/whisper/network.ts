import { InferenceSession, Tensor } from 'onnxruntime-node';
import { FRAMES } from './log-mel.ts';

/** Whisper's two networks, opened. They compute on the thread that calls them. */
export interface Network {
  /** Listens to a spectrogram [bins, 3000] and takes in the token that begins every transcript. */
  hear(mel: Float32Array, first: number): Promise<Heard>;
  close(): Promise<void>;
}

/** Where a transcript stands after a token. A value: whoever wants to try another way goes back to it and steps again. */
export interface Heard {
  /** Of each token, that it comes next: [vocabulary], before the softmax. */
  readonly logits: Float32Array;
  /** Where in the sound the last token was looked for: of each of `alignmentHeads`, [1500] shares, 20 ms each. */
  readonly attention: readonly Float32Array[];
  after(token: number): Promise<Heard>;
}

/** Opens the encoder and the merged decoder of an export that gives its attentions. */
export async function openNetwork(
  files: { readonly encoder: string; readonly decoder: string },
  { threads, alignmentHeads }: { threads: number; alignmentHeads: readonly (readonly [number, number])[] },
): Promise<Network> {
  const options: InferenceSession.SessionOptions = {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // Threads that wait for the next step of a decoder by turning round and round cost as much as those that work.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
  // A pool would keep what the attentions of 30 s took: 1.2 GB instead of half a gigabyte, for 7 % of the time.
  const encoder = await InferenceSession.create(files.encoder, { ...options, enableCpuMemArena: false });
  const decoder = await InferenceSession.create(files.decoder, options);
  const pasts = decoder.inputNames.filter((name) => name.startsWith('past_key_values.'));
  const [, heads, , width] = shapeOf(decoder, pasts[0] ?? 'past_key_values.0.decoder.key');
  if (typeof heads !== 'number' || typeof width !== 'number') throw new Error('The decoder does not tell its shape.');

  const layers = [...new Set(alignmentHeads.map(([layer]) => layer))];
  const attentions = layers.map((layer) => `cross_attentions.${layer}`);
  const ofSound = (name: string) => name.includes('.encoder.');
  const presentOf = (name: string) => name.replace('past_key_values', 'present');
  const firstOutputs = ['logits', ...attentions, ...pasts.map(presentOf)];
  const laterOutputs = ['logits', ...attentions, ...pasts.filter((name) => !ofSound(name)).map(presentOf)];

  const attentionOf = (made: Outputs) =>
    alignmentHeads.map(([layer, head]) => {
      const { data, dims } = made[`cross_attentions.${layer}`]!;
      const [length, frames] = [dims[2]!, dims[3]!];
      const from = ((head + 1) * length - 1) * frames;
      return (data as Float32Array).slice(from, from + frames);
    });
  const pastOf = (made: Outputs, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, made[presentOf(name)]!]));

  async function hear(mel: Float32Array, first: number): Promise<Heard> {
    const given = { input_features: new Tensor('float32', mel, [1, mel.length / FRAMES, FRAMES]) };
    // Only this of its outputs: the attentions of the encoder are 400 MB.
    const sound = (await encoder.run(given, ['last_hidden_state']))['last_hidden_state']!;
    const none = new Tensor('float32', new Float32Array(0), [1, heads as number, 0, width as number]);
    const made = await decoder.run(
      {
        ...Object.fromEntries(pasts.map((name) => [name, none])),
        input_ids: tokens(first),
        encoder_hidden_states: sound,
        use_cache_branch: flag(false),
      },
      firstOutputs,
    );
    const constant = { ...pastOf(made, pasts.filter(ofSound)), encoder_hidden_states: sound };
    const spoken = pasts.filter((name) => !ofSound(name));

    const heard = (outputs: Outputs): Heard => {
      const past = pastOf(outputs, spoken);
      return {
        logits: outputs['logits']!.data as Float32Array,
        attention: attentionOf(outputs),
        async after(token) {
          const feeds = { ...constant, ...past, input_ids: tokens(token), use_cache_branch: flag(true) };
          return heard(await decoder.run(feeds, laterOutputs));
        },
      };
    };
    return heard(made);
  }

  return {
    hear,
    async close() {
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
