/**
 * Why a recording cannot be heard: it is none, or of a kind that is not read here (`unsupported`); it is broken, empty or
 * cut off (`corrupt`); it lasts longer than is taken (`too_long`); it has pictures only (`no_sound`); or its owner locked
 * it (`protected`).
 */
export type AudioProblem = 'unsupported' | 'corrupt' | 'too_long' | 'no_sound' | 'protected';

export class AudioRefused extends Error {
  override readonly name = 'AudioRefused';
  readonly problem: AudioProblem;

  constructor(problem: AudioProblem, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.problem = problem;
  }
}
