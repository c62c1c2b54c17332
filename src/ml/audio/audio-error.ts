/**
 * Why a recording cannot be transcribed: not audio or an unsupported format (`unsupported`); broken, empty or truncated
 * (`corrupt`); above the duration limit (`too_long`); video without audio (`no_sound`); under DRM (`protected`).
 */
export type AudioProblem = 'unsupported' | 'corrupt' | 'too_long' | 'no_sound' | 'protected';

export class AudioError extends Error {
  override readonly name = 'AudioError';
  readonly problem: AudioProblem;

  constructor(problem: AudioProblem, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.problem = problem;
  }
}
