import { describe, expect, it } from 'vitest';
import * as index from '../services/catalog/routes/index-schema.ts';
import * as reports from '../services/catalog/routes/report-schema.ts';
import { RowBody } from '../services/catalog/routes/row-schema.ts';
import { SearchQuery } from '../services/catalog/search/filter-query.ts';
import { HitBody, SearchResultBody } from '../services/catalog/search/responses.ts';
import * as defectoscopy from '../services/defectoscopy/api-schema.ts';
import * as passports from '../services/passports/api-schema.ts';
import * as stt from '../services/stt/api-schema.ts';
import { type SchemasByName, typescriptOf } from './testing/typescript-of.ts';

const data = (success: { properties: { data: object } }) => success.properties.data;

const TYPES: Readonly<Record<string, SchemasByName>> = {
  defectoscopy: {
    PredictRequest: defectoscopy.PredictRequest,
    PhotoAccepted: defectoscopy.Accepted,
    ScoredClass: defectoscopy.Classification.properties.masters.items,
    Classification: defectoscopy.Classification,
    PhotoWebhook: defectoscopy.Webhook,
    PhotoState: data(defectoscopy.TaskState),
    Heatmap: data(defectoscopy.Heatmap),
    DefectoscopyHealth: data(defectoscopy.Health),
  },
  stt: {
    TranscribeRequest: stt.TranscribeRequest,
    RecordingAccepted: stt.Accepted,
    Transcription: stt.Transcription,
    RecordingState: data(stt.TaskState),
    SttHealth: data(stt.Health),
  },
  passports: {
    DocumentItem: passports.TaskItem,
    DocumentList: passports.TaskList,
    DocumentStatus: passports.TaskStatus,
    DocumentField: Object.values(passports.Result.properties.fields.patternProperties)[0]!,
    DocumentResult: passports.Result,
    DocumentRejected: passports.Uploaded.properties.rejected.items,
    DocumentsUploaded: passports.Uploaded,
    PageImage: passports.Image,
    PageImagesUploaded: passports.ImagesUploaded,
    PageImages: passports.Images,
    PageImageRotated: passports.Rotated,
    PdfCreated: passports.PdfCreated,
    DocumentUpdated: passports.Updated,
    EditHistory: passports.History,
    CleanupResult: passports.CleanedUp,
    DeepHealth: passports.DeepHealth,
    FailedStatistics: passports.FailedStats,
    PassportsToken: passports.TokenAnswer,
  },
  catalog: {
    SearchQuery,
    Hit: HitBody,
    SearchResults: SearchResultBody,
    Row: RowBody,
    NewRecord: index.DocumentedRecords.properties.records.items,
    IndexResult: index.Indexed,
    IndexState: index.State,
    NewReport: reports.NewReport,
    ReportPatch: reports.ReportPatch,
    Report: reports.Report,
    ReportList: reports.ReportList,
    ReportEvent: reports.Event,
    ReportEvents: reports.EventList,
  },
};

describe('client types', () => {
  it.each(Object.entries(TYPES))('match the schemas of %s', async (name, schemas) => {
    const head = `// Generated from the schemas of src/services by wire.test.ts; \`npx vitest run src/client/wire.test.ts -u\` updates it.\n`;
    await expect(`${head}\n${typescriptOf(schemas)}`).toMatchFileSnapshot(`./wire/${name}.ts`);
  });

  it('include optional members, null and enumerations', () => {
    const type = typescriptOf({
      Row: {
        type: 'object',
        required: ['state', 'at'],
        properties: {
          state: { enum: ['open', 'shut'], description: 'One of two.' },
          at: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          marks: { type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
          more: { type: 'object', additionalProperties: true, properties: {} },
        },
      },
    });
    expect(type).toBe(
      [
        'export interface Row {',
        '  /** One of two. */',
        "  readonly state: 'open' | 'shut';",
        '  readonly at: string | null;',
        '  readonly marks?: readonly (number | null)[];',
        '  readonly more?: Readonly<Record<string, unknown>>;',
        '}',
        '',
      ].join('\n'),
    );
  });
});
