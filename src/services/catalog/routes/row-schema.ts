import { Type } from 'typebox';
import { ACTIONS, STATUSES } from '../reports/report.ts';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const Scored = Type.Object({ name: Type.String(), conf: Type.Number({ minimum: 0, maximum: 1 }) });
const Time = Type.String({ format: 'date-time' });

/** As readers see it. */
const BriefReport = Type.Object(
  {
    id: Type.String(),
    action_type: Type.Enum([...ACTIONS]),
    status: Type.Enum([...STATUSES]),
    created_at: Time,
  },
  { additionalProperties: true },
);

export const RowBody = Type.Object({
  record_id: Type.String(),
  service: Type.String({ description: 'The service of the task, or `import`.' }),
  task_id: nullable(Type.String()),
  status: Type.Enum(['done', 'failed']),
  created_at: Time,
  title: Type.String(),
  snippet: Type.String(),
  text: Type.String({ description: 'The searchable text besides the title.' }),
  surface: nullable(Type.String()),
  master: nullable(Scored),
  defects: Type.Array(Scored),
  image: nullable(Type.Object({ url: Type.String(), width: Type.Integer(), height: Type.Integer() })),
  open_reports: Type.Integer({ description: 'Reports that are open or in review.' }),
  hidden: Type.Boolean({ description: 'Hidden by an accepted report and visible to moderators only.' }),
  result: Type.Object({}, { additionalProperties: true, description: 'The result in the format of its service.' }),
  reports: Type.Array(BriefReport),
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
