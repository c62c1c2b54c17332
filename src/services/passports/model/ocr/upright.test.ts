import { beforeAll, describe, expect, it } from 'vitest';
import { type Projection, projectPoint } from '../../page.ts';
import type { Grey } from './grey.ts';
import { compose, inverse, quarterTurn, shift } from './projection.ts';
import { formPicture, shadowed } from './testing/form.ts';
import { uprightView } from './upright.ts';
import { warp } from './warp.ts';

describe('the view in which a page stands straight', () => {
  let form: Grey;
  beforeAll(async () => {
    form = await formPicture();
  });

  /** The slope that a level and a plumb line of the form have in the view that was found of the `seen` form. */
  function slopes(seen: Grey, toSeen: Projection): { level: number; plumb: number; turn: number } {
    const view = uprightView(seen);
    const toView = compose(inverse(view.toSource), toSeen);
    const [left, right, foot] = [
      [0.1, 0.3],
      [0.9, 0.3],
      [0.1, 0.9],
    ].map(([x, y]) => projectPoint(toView, x! * form.width, y! * form.height));
    return {
      level: (right![1] - left![1]) / (right![0] - left![0]),
      plumb: (foot![0] - left![0]) / (foot![1] - left![1]),
      turn: view.turn,
    };
  }

  const middle = () => [form.width / 2, form.height / 2] as const;
  const around = (lens: Projection) => compose(shift(...middle()), compose(lens, shift(-middle()[0], -middle()[1])));
  const straight = { level: expect.closeTo(0, 2), plumb: expect.closeTo(0, 2) };

  it('is that of a page that is straight', () => {
    expect(slopes(form, around([1, 0, 0, 0, 1, 0, 0, 0, 1]))).toEqual({ ...straight, turn: 0 });
  });

  it('undoes the tilt and the perspective of a photo', () => {
    const toForm = around([1, -0.06, 0, 0.07, 1, 0, 3e-5, -2e-5, 1]);
    const photo = shadowed(warp(form, toForm, form.width, form.height));
    expect(slopes(photo, inverse(toForm))).toEqual({ ...straight, turn: 0 });
  });

  it('lays a page on its side whose lines run down', () => {
    const lying = warp(form, quarterTurn(90, form), form.height, form.width);
    const view = uprightView(lying);
    expect(view.turn).toBe(90);
    expect(view.height).toBeGreaterThan(view.width);
  });
});
