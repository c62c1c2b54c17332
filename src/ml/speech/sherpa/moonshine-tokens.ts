/**
 * Moonshine's tokens file for sherpa-onnx (Jeffries et al. 2024, arXiv:2410.15608 §3.1): per line, the token bytes in
 * base64 and its number. Llama's 32 000 tokens, then 768 special ones. `vocabulary` is the URL of a module that exports
 * a `LlamaTokenizer`.
 */
export async function moonshineTokens(vocabulary: string): Promise<string> {
  const { LlamaTokenizer } = (await import(vocabulary)) as { LlamaTokenizer: new () => { vocabById: string[] } };
  const llama = new LlamaTokenizer().vocabById;
  const all = Array.from({ length: TOKEN_COUNT }, (_, token) => llama[token] ?? `<<ST_${token - llama.length}>>`);
  return all.map((text, token) => `${bytesOf(text).toString('base64')} ${token}\n`).join('');
}

const TOKEN_COUNT = 32_768;

function bytesOf(text: string): Buffer {
  const [, byte] = /^<0x([0-9A-F]{2})>$/.exec(text) ?? [];
  return byte === undefined ? Buffer.from(text) : Buffer.from(byte, 'hex');
}
