/**
 * Whether a sentence is a typical Whisper hallucination learnt from subtitles: credits always, farewells only when the
 * no-speech probability `noSpeech` is high.
 */
export function isHallucination(sentence: string, noSpeech: number): boolean {
  if (CREDIT_PATTERNS.some((credit) => credit.test(sentence))) return true;
  const normalized = sentence
    .toLowerCase()
    .replace(/[^\p{L}\p{N} ]+/gu, '')
    .trim();
  return noSpeech > NO_SPEECH_THRESHOLD && FAREWELLS.has(normalized);
}

const NO_SPEECH_THRESHOLD = 0.4;

const CREDIT_PATTERNS = [
  /amara\.org/i,
  /dimatorzok/i,
  /^субтитры (с?делал|подогнал|создавал|предоставил)/i,
  /^редактор субтитров/i,
  /^untertitel(ung)? (im auftrag|von|der amara|aufgrund)/i,
  /^sous-titr(es|age) (réalisés?|st|société|par)/i,
  /^subtitl(es|ed) by/i,
  /^transcri(bed|ption) (by|outsourcing)/i,
  /^subtítulos (realizados|por)/i,
  /^字幕(by|製作|提供|志愿者)/i,
];

const FAREWELLS: ReadonlySet<string> = new Set([
  'you',
  'thank you',
  'thanks',
  'bye',
  'bye bye',
  'thank you for watching',
  'thanks for watching',
  'thank you very much',
  'please subscribe',
  'see you next time',
  'спасибо',
  'спасибо за просмотр',
  'спасибо за внимание',
  'продолжение следует',
  'до свидания',
  'подписывайтесь на канал',
  'vielen dank',
  'vielen dank fürs zuschauen',
  'bis zum nächsten mal',
  'merci',
  'merci davoir regardé cette vidéo',
  'gracias',
  'gracias por ver el video',
  'ご視聴ありがとうございました',
  '谢谢观看',
]);
