/**
 * Whether a sentence is one that Whisper learnt from the ends of subtitled films, and says where nobody speaks: credits
 * of subtitlers always, thanks and goodbyes where it doubts that somebody speaks at all (`noSpeech`, 0..1).
 */
export function isInvented(sentence: string, noSpeech: number): boolean {
  if (CREDITS.some((credit) => credit.test(sentence))) return true;
  const plain = sentence
    .toLowerCase()
    .replace(/[^\p{L}\p{N} ]+/gu, '')
    .trim();
  return noSpeech > DOUBTFUL && FAREWELLS.has(plain);
}

const DOUBTFUL = 0.4;

const CREDITS = [
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
