import { Type } from 'typebox';
import { nullable } from '../api-schema.ts';
import { HitBody } from '../search/responses.ts';
import { Report } from './report-schema.ts';

export const RowBody = Type.Object({
  ...HitBody.properties,
  text: Type.String({ description: 'The searchable text besides the title.' }),
  result: Type.Object({}, { additionalProperties: true, description: 'The result in the format of its service.' }),
  /** As readers see them. */
  reports: Type.Array(Type.Pick(Report, ['id', 'action_type', 'status', 'created_at'], { additionalProperties: true })),
  neighbours: Type.Object({ prev: nullable(Type.String()), next: nullable(Type.String()) }),
});

export const ROW = {
  record_id: 'defectoscopy:01JQ8Z5V3N6T9W2X4Y7A1B3C5D',
  service: 'defectoscopy',
  task_id: '01JQ8Z5V3N6T9W2X4Y7A1B3C5D',
  status: 'done',
  created_at: '2026-11-20T09:30:00.000Z',
  title: 'wall-17.jpg',
  snippet: 'concrete crack',
  text: 'concrete crack',
  surface: 'concrete',
  master: { name: 'cracks', conf: 0.93 },
  defects: [{ name: 'crack', conf: 0.91 }],
  image: { url: '/image/defectoscopy%3A01JQ8Z5V3N6T9W2X4Y7A1B3C5D', width: 1024, height: 768 },
  open_reports: 1,
  hidden: false,
  result: { surface: 'concrete', masters: [{ name: 'cracks', conf: 0.93 }], defects: [{ name: 'crack', conf: 0.91 }] },
  reports: [
    {
      id: 'rep_01JQ8Z5V3N6T9W2X4Y7A1B3C5D',
      action_type: 'hide',
      status: 'open',
      created_at: '2026-11-20T10:00:00.000Z',
    },
  ],
  neighbours: { prev: 'stt:01JQ8Z5V3N6T9W2X4Y7A1B3C5C', next: null },
};
