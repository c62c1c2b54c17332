import { alignColumns } from '../terminal.ts';
import type { MeasuredRecording, Measurement } from './measure.ts';

type Scored = Extract<MeasuredRecording, { text: string }>;

const scored = (results: readonly MeasuredRecording[]): Scored[] =>
  results.filter((result): result is Scored => 'text' in result);

/** The figures of one model. Rates are undefined if nothing was recognized. */
function figuresOf({ results, peakBytes }: Measurement) {
  const all = scored(results);
  const sum = (value: (result: Scored) => number) => all.reduce((total, result) => total + value(result), 0);
  const seconds = sum((result) => result.seconds);
  const perSecond = (total: number) => (seconds > 0 ? total / seconds : undefined);
  return {
    errors: sum(({ errors }) => errors),
    words: sum(({ words }) => words),
    seconds,
    realTimeFactor: perSecond(sum(({ elapsedSeconds }) => elapsedSeconds)),
    cpuSecondsPerSecond: perSecond(sum(({ cpuSeconds }) => cpuSeconds)),
    peakBytes,
  };
}

/** A table with a column for each model. */
export function measurementLines(measurements: readonly Measurement[], current: string): string[] {
  const columns = measurements.map((measurement) => ({ ...measurement, ...figuresOf(measurement) }));
  const row = (title: string, cell: (column: (typeof columns)[number]) => string) => [title, ...columns.map(cell)];
  const groups = [...new Set(measurements.flatMap(({ results }) => results.map(groupOf)))];
  const names = [...new Set(measurements.flatMap(({ results }) => results.map(({ recording }) => recording.name)))];
  return alignColumns([
    row('', ({ model }) => (model === current ? `${model} (current)` : model)),
    ...groups.map((group) =>
      row(`Wrong words, ${group}`, ({ results }) => {
        const found = scored(results).filter((result) => groupOf(result) === group);
        const errors = found.reduce((sum, result) => sum + result.errors, 0);
        const words = found.reduce((sum, result) => sum + result.words, 0);
        return words > 0 ? `${((100 * errors) / words).toFixed(1)} % (${errors} of ${words})` : '–';
      }),
    ),
    row('Real-time factor', ({ realTimeFactor }) => realTimeFactor?.toFixed(2) ?? '–'),
    row('CPU-seconds per second', ({ cpuSecondsPerSecond }) => cpuSecondsPerSecond?.toFixed(2) ?? '–'),
    row('Peak memory', ({ peakBytes }) => `${Math.round(peakBytes / 1e6)} MB`),
    row('', () => ''),
    ...names.map((name) =>
      row(name, ({ results }) => {
        const result = results.find(({ recording }) => recording.name === name);
        if (!result) return '–';
        return 'broken' in result ? 'failed' : `${result.errors} of ${result.words}`;
      }),
    ),
  ]);
}

const groupOf = ({ recording }: MeasuredRecording): string =>
  recording.language === undefined ? 'folder' : (LANGUAGES.of(recording.language) ?? recording.language);
const LANGUAGES = new Intl.DisplayNames('en', { type: 'language' });

export function measurementsAsJson(
  measurements: readonly Measurement[],
  { current, skipped }: { current: string; skipped: readonly string[] },
) {
  return {
    models: measurements.map((measurement) => {
      const figures = figuresOf(measurement);
      return {
        model: measurement.model,
        current: measurement.model === current,
        errors: figures.errors,
        words: figures.words,
        seconds: figures.seconds,
        real_time_factor: figures.realTimeFactor,
        cpu_seconds_per_second: figures.cpuSecondsPerSecond,
        peak_memory_bytes: figures.peakBytes,
        recordings: measurement.results.map((result) => {
          const { name, language } = result.recording;
          if ('broken' in result) return { name, language, error: result.broken };
          const { errors, words, seconds, text } = result;
          return { name, language, errors, words, seconds, text };
        }),
      };
    }),
    skipped,
  };
}
