import { beforeAll, describe, expect, it } from 'vitest';
import { addShadow, renderForm } from '../../../../../test/support/ocr/form.ts';
import { type Projection, projectPoint, quarterTurn } from '../../page-geometry.ts';
import { findDeskewedView } from './deskew.ts';
import type { GrayImage } from './grayscale.ts';
import { compose, inverse, translation } from './projection.ts';
import { warp } from './warp.ts';

describe('findDeskewedView', () => {
  let form: GrayImage;
  beforeAll(async () => {
    form = await renderForm();
  });

  /** The slopes of a horizontal and a vertical line of the form in the view of `image`. `toImage` maps the form to it. */
  function slopes(image: GrayImage, toImage: Projection): { horizontal: number; vertical: number; turn: number } {
    const view = findDeskewedView(image);
    const toView = compose(inverse(view.toSource), toImage);
    const [left, right, foot] = [
      [0.1, 0.3],
      [0.9, 0.3],
      [0.1, 0.9],
    ].map(([x, y]) => projectPoint(toView, x! * form.width, y! * form.height));
    return {
      horizontal: (right![1] - left![1]) / (right![0] - left![0]),
      vertical: (foot![0] - left![0]) / (foot![1] - left![1]),
      turn: view.turn,
    };
  }

  const middle = () => [form.width / 2, form.height / 2] as const;
  const around = (lens: Projection) =>
    compose(translation(...middle()), compose(lens, translation(-middle()[0], -middle()[1])));
  const straight = { horizontal: expect.closeTo(0, 2), vertical: expect.closeTo(0, 2) };

  it('keeps a straight page', () => {
    expect(slopes(form, around([1, 0, 0, 0, 1, 0, 0, 0, 1]))).toEqual({ ...straight, turn: 0 });
  });

  it('corrects the tilt and the perspective of a photo', () => {
    const toForm = around([1, -0.06, 0, 0.07, 1, 0, 3e-5, -2e-5, 1]);
    const photo = addShadow(warp(form, toForm, form.width, form.height));
    expect(slopes(photo, inverse(toForm))).toEqual({ ...straight, turn: 0 });
  });

  it('rotates a page by 90° whose lines run vertically', () => {
    const rotated = warp(form, quarterTurn(90, form), form.height, form.width);
    const view = findDeskewedView(rotated);
    expect(view.turn).toBe(90);
    expect(view.height).toBeGreaterThan(view.width);
  });
});
