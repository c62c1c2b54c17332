/** All ISO 639-1 codes. Each provider supports some of them. */
const CODES = `aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz
  ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja
  jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng
  nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw
  ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu`;

const LANGUAGES: ReadonlySet<string> = new Set(CODES.split(/\s+/));

export const isLanguage = (code: string): boolean => LANGUAGES.has(code);

/** Languages without spaces between words. */
const UNSPACED: ReadonlySet<string> = new Set(['zh', 'ja', 'th', 'lo', 'km', 'my', 'bo']);

export const wordSeparator = (language: string | undefined): string =>
  language !== undefined && UNSPACED.has(language) ? '' : ' ';
