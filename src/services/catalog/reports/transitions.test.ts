import { describe, expect, it } from 'vitest';
import { type Change, STATUSES, type Status } from './report.ts';
import { isDecided, judge, type Standing } from './transitions.ts';

// The table of the contract, written out once more by hand.
const ALLOWED: Record<Status, Status[]> = {
  open: ['in_review', 'accepted', 'rejected', 'duplicate'],
  in_review: ['open', 'accepted', 'rejected', 'duplicate'],
  accepted: ['open'],
  rejected: ['open'],
  duplicate: ['open'],
};

const anna = 'anna';
const standing = (status: Status, over: Partial<Standing> = {}): Standing => ({
  ...{ status, note: null, version: 3, movedBy: anna },
  ...over,
});
const by = (actor: string, change: Omit<Change, 'actor'>): Change => ({ actor, ...change });

describe('what becomes of a change', () => {
  const moves = STATUSES.flatMap((from) => STATUSES.filter((to) => to !== from).map((to) => [from, to] as const));
  it.each(moves)('from %s to %s, by the table', (from, to) => {
    const allowed = ALLOWED[from].includes(to);
    for (const actor of [anna, 'boris']) {
      const verdict = judge(standing(from), by(actor, { status: to, note: 'because' }));
      expect(verdict).toBe(allowed ? 'changed' : 'forbidden');
    }
  });

  it.each(STATUSES.filter(isDecided))('opening a report that is %s again takes a note that says why', (from) => {
    for (const note of [undefined, null, '', ' \n\t']) {
      const change = by(anna, { status: 'open', ...(note !== undefined && { note }) });
      expect(judge(standing(from, { note: 'of the decision' }), change)).toBe('needs-note');
    }
  });

  it('a review is given up without a note', () => {
    expect(judge(standing('in_review'), by('boris', { status: 'open' }))).toBe('changed');
  });

  it.each(STATUSES)('%s once more is nothing by the same moderator, and forbidden to another', (status) => {
    expect(judge(standing(status), by(anna, { status }))).toBe('unchanged');
    expect(judge(standing(status), by('boris', { status }))).toBe('forbidden');
  });

  it('that a report is open as it was reported is nobody’s decision to repeat', () => {
    expect(judge(standing('open', { movedBy: null }), by(anna, { status: 'open' }))).toBe('forbidden');
  });

  it('the same status with another note is a change by the same moderator, and forbidden to another', () => {
    const now = standing('accepted', { note: 'yes' });
    expect(judge(now, by(anna, { status: 'accepted', note: 'yes' }))).toBe('unchanged');
    expect(judge(now, by(anna, { status: 'accepted', note: 'no' }))).toBe('changed');
    expect(judge(now, by('boris', { status: 'accepted', note: 'yes' }))).toBe('forbidden');
  });

  it.each(STATUSES)('the note of a report that is %s is every moderator’s to set', (status) => {
    expect(judge(standing(status), by('boris', { note: 'seen' }))).toBe('changed');
    expect(judge(standing(status, { note: 'seen' }), by('boris', { note: 'seen' }))).toBe('unchanged');
    expect(judge(standing(status, { note: 'seen' }), by('boris', { note: null }))).toBe('changed');
  });

  it('a change that is meant for another version is stale, whether or not it was allowed', () => {
    expect(judge(standing('open'), by(anna, { status: 'accepted', ifVersion: 2 }))).toBe('stale');
    expect(judge(standing('accepted'), by('boris', { status: 'rejected', ifVersion: 2 }))).toBe('stale');
    expect(judge(standing('open'), by(anna, { note: 'x', ifVersion: 4 }))).toBe('stale');
    expect(judge(standing('open'), by(anna, { status: 'accepted', ifVersion: 3 }))).toBe('changed');
  });

  it('one that was made already and is sent again is not stale, though its version is', () => {
    const now = standing('accepted', { note: 'yes' });
    expect(judge(now, by(anna, { status: 'accepted', note: 'yes', ifVersion: 2 }))).toBe('unchanged');
    expect(judge(now, by('boris', { status: 'accepted', note: 'yes', ifVersion: 2 }))).toBe('stale');
  });
});
