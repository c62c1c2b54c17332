/**
 * The tokens of Moonshine (Jeffries et al. 2024, arXiv:2410.15608 §3.1) as sherpa-onnx reads them: a line for each, its
 * bytes in base64 and its number. They are Llama's 32 000, then 768 that spell nothing. `vocabulary` is the URL of a
 * module that exports a `LlamaTokenizer`.
 */
export async function moonshineTokens(vocabulary: string): Promise<string> {
  const { LlamaTokenizer } = (await import(vocabulary)) as { LlamaTokenizer: new () => { vocabById: string[] } };
  const llama = new LlamaTokenizer().vocabById;
  const all = Array.from({ length: TOKENS }, (_, token) => llama[token] ?? `<<ST_${token - llama.length}>>`);
  return all.map((text, token) => `${bytesOf(text).toString('base64')} ${token}\n`).join('');
}

const TOKENS = 32_768;

/** What has no token of its own is spelt byte by byte: `<0xE2>`. */
function bytesOf(text: string): Buffer {
  const [, byte] = /^<0x([0-9A-F]{2})>$/.exec(text) ?? [];
  return byte === undefined ? Buffer.from(text) : Buffer.from(byte, 'hex');
}
