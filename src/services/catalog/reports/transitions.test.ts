import { describe, expect, it } from 'vitest';
import { type ReportChange, STATUSES, type Status } from './report.ts';
import { evaluateChange, isDecided, type ReportState } from './transitions.ts';

// The table of the specification, independent of the implementation.
const ALLOWED: Record<Status, Status[]> = {
  open: ['in_review', 'accepted', 'rejected', 'duplicate'],
  in_review: ['open', 'accepted', 'rejected', 'duplicate'],
  accepted: ['open'],
  rejected: ['open'],
  duplicate: ['open'],
};

const anna = 'anna';
const standing = (status: Status, over: Partial<ReportState> = {}): ReportState => ({
  ...{ status, note: null, version: 3, movedBy: anna },
  ...over,
});
const by = (actor: string, change: Omit<ReportChange, 'actor'>): ReportChange => ({ actor, ...change });

describe('evaluating a change', () => {
  const moves = STATUSES.flatMap((from) => STATUSES.filter((to) => to !== from).map((to) => [from, to] as const));
  it.each(moves)('allows or forbids the transition from %s to %s according to the table', (from, to) => {
    const allowed = ALLOWED[from].includes(to);
    for (const actor of [anna, 'boris']) {
      const outcome = evaluateChange(standing(from), by(actor, { status: to, note: 'because' }));
      expect(outcome).toBe(allowed ? 'changed' : 'forbidden');
    }
  });

  it.each(STATUSES.filter(isDecided))('requires a note to reopen a report that is %s', (from) => {
    for (const note of [undefined, null, '', ' \n\t']) {
      const change = by(anna, { status: 'open', ...(note !== undefined && { note }) });
      expect(evaluateChange(standing(from, { note: 'of the decision' }), change)).toBe('needs-note');
    }
  });

  it('returns a report from review without a note', () => {
    expect(evaluateChange(standing('in_review'), by('boris', { status: 'open' }))).toBe('changed');
  });

  it.each(STATUSES)('treats a repeated %s as unchanged for the same moderator and forbidden for another', (status) => {
    expect(evaluateChange(standing(status), by(anna, { status }))).toBe('unchanged');
    expect(evaluateChange(standing(status), by('boris', { status }))).toBe('forbidden');
  });

  it('forbids opening a report that has never left the open state', () => {
    expect(evaluateChange(standing('open', { movedBy: null }), by(anna, { status: 'open' }))).toBe('forbidden');
  });

  it('allows a new note with the same status for the same moderator and forbids it for another', () => {
    const now = standing('accepted', { note: 'yes' });
    expect(evaluateChange(now, by(anna, { status: 'accepted', note: 'yes' }))).toBe('unchanged');
    expect(evaluateChange(now, by(anna, { status: 'accepted', note: 'no' }))).toBe('changed');
    expect(evaluateChange(now, by('boris', { status: 'accepted', note: 'yes' }))).toBe('forbidden');
  });

  it.each(STATUSES)('allows every moderator to set the note of a report that is %s', (status) => {
    expect(evaluateChange(standing(status), by('boris', { note: 'seen' }))).toBe('changed');
    expect(evaluateChange(standing(status, { note: 'seen' }), by('boris', { note: 'seen' }))).toBe('unchanged');
    expect(evaluateChange(standing(status, { note: 'seen' }), by('boris', { note: null }))).toBe('changed');
  });

  it('treats a change for another version as stale, whether allowed or not', () => {
    expect(evaluateChange(standing('open'), by(anna, { status: 'accepted', ifVersion: 2 }))).toBe('stale');
    expect(evaluateChange(standing('accepted'), by('boris', { status: 'rejected', ifVersion: 2 }))).toBe('stale');
    expect(evaluateChange(standing('open'), by(anna, { note: 'x', ifVersion: 4 }))).toBe('stale');
    expect(evaluateChange(standing('open'), by(anna, { status: 'accepted', ifVersion: 3 }))).toBe('changed');
  });

  it('does not treat the repetition of a successful change as stale', () => {
    const now = standing('accepted', { note: 'yes' });
    expect(evaluateChange(now, by(anna, { status: 'accepted', note: 'yes', ifVersion: 2 }))).toBe('unchanged');
    expect(evaluateChange(now, by('boris', { status: 'accepted', note: 'yes', ifVersion: 2 }))).toBe('stale');
  });
});
