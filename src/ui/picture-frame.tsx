import type { HeatmapTexts } from './browser/heatmap-texts.ts';
import { Button, Span } from './text-elements.tsx';

/** A photo with a canvas for a heatmap; the script is `browser/heatmap-view.ts`. */
export function PictureFrame(props: { words: HeatmapTexts; hidden?: boolean; children: JSX.Element }): JSX.Element {
  const { words, hidden = false } = props;
  return (
    <figure id="picture" class="picture" hidden={hidden}>
      <div id="frame" class="frame">
        <div id="stage" class="stage">
          {props.children}
          <p id="no-preview" class="no-preview" hidden></p>
          <canvas id="heatmap" hidden></canvas>
          <svg id="boxes" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true"></svg>
        </div>
      </div>
      <figcaption>
        <p id="zoom" class="zoom" hidden>
          <Button type="button" class="small" id="zoom-in" aria-label={words.zoomIn} text="+" />
          <Button type="button" class="small" id="zoom-out" aria-label={words.zoomOut} text="−" />
          <Button type="button" class="small" id="zoom-reset" text={words.zoomReset} />
        </p>
        <p id="heatmap-caption"></p>
        <div id="overlay" class="overlay" hidden>
          <label class="check">
            <input id="show-heatmap" type="checkbox" checked /> <span safe>{words.show}</span>
          </label>
          <label class="range">
            <Span class="visually-hidden" text={words.strength} />
            <input id="heatmap-opacity" type="range" min="10" max="100" step="5" value="60" />
          </label>
          <span class="scale" aria-hidden="true">
            <span safe>{words.weak}</span>
            <span class="ramp"></span>
            <span safe>{words.strong}</span>
          </span>
        </div>
      </figcaption>
    </figure>
  );
}
