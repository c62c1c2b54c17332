// Generates src/client/wire/*.ts, the types of requests and responses in `assay/client`, from the schemas of the services.
// The build calls this with the folder of the compiled services.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const WIRE = fileURLToPath(new URL('../src/client/wire/', import.meta.url));
const data = (success) => success.properties.data;

/** The schemas with a name in the client, by service; nested ones are referenced by their name. */
async function namedSchemas(dist) {
  const load = (file) => import(pathToFileURL(join(dist, 'services', file)).href);
  const [defectoscopy, stt, passports] = await Promise.all(
    ['defectoscopy/api-schema.js', 'stt/api-schema.js', 'passports/api-schema.js'].map(load),
  );
  const { Models, ShadowPage, Trainings } = await load('defectoscopy/deployment-schema.js');
  const deliveries = await load('shared/delivery-schema.js');
  const batches = await load('shared/batches/batch-schema.js');
  const { TestResult: testResult } = await load('shared/delivery-test-route.js');
  const { TaskTimeline: timeline } = await load('shared/timeline-route.js');
  const statistics = await load('passports/statistics-schema.js');
  const [index, reports, { RowBody }] = await Promise.all(
    ['index-schema.js', 'report-schema.js', 'row-routes.js'].map((name) => load(`catalog/routes/${name}`)),
  );
  const { SearchQuery } = await load('catalog/search/filter-query.js');
  const { HitBody, SearchResultBody, SimilarBody } = await load('catalog/search/responses.js');
  return {
    defectoscopy: {
      PredictRequest: defectoscopy.PredictRequest,
      PhotoAccepted: defectoscopy.Accepted,
      ScoredClass: defectoscopy.Classification.properties.masters.items,
      Classification: defectoscopy.Classification,
      PhotoWebhook: defectoscopy.Webhook,
      PhotoState: data(defectoscopy.TaskState),
      Heatmap: data(defectoscopy.Heatmap),
      PhotoEvent: defectoscopy.Event,
      PhotoEvents: data(defectoscopy.EventPage),
      DefectoscopyHealth: data(defectoscopy.Health),
      CorrectionRequest: defectoscopy.CorrectionRequest,
      Corrections: data(defectoscopy.Corrections),
      ModelDetails: defectoscopy.ModelDetails,
      ModelList: data(Models),
      ShadowComparisons: data(ShadowPage),
      ModelTraining: data(Trainings),
    },
    stt: {
      TranscribeRequest: stt.TranscribeRequest,
      RecordingAccepted: stt.Accepted,
      Transcription: stt.Transcription,
      TranscriptVersion: stt.TranscriptVersion,
      Transcript: stt.Transcript,
      TranscriptHistory: data(stt.TranscriptHistory),
      RecordingState: data(stt.TaskState),
      RecordingEvent: stt.Event,
      RecordingEvents: data(stt.EventPage),
      Vocabulary: data(stt.VocabularyState),
      SttHealth: data(stt.Health),
    },
    timeline: { TaskTimeline: data(timeline) },
    batches: {
      AcceptedBatch: data(batches.AcceptedBatch),
      Batch: data(batches.Batch),
      BatchList: data(batches.BatchList),
      BatchItem: data(batches.ItemList).properties.items.items,
      BatchItemList: data(batches.ItemList),
      CancelledBatch: data(batches.Cancelled),
      RetriedBatch: data(batches.Retried),
    },
    deliveries: {
      Delivery: deliveries.Delivery,
      DeliveryPage: data(deliveries.DeliveryPage),
      RedeliverRequest: deliveries.RedeliverRequest,
      Redelivered: data(deliveries.Redelivered),
      FailingEndpoint: data(deliveries.EndpointList).properties.endpoints.items,
      EndpointList: data(deliveries.EndpointList),
      Resumed: data(deliveries.Resumed),
      WebhookTestResult: data(testResult),
    },
    passports: {
      DocumentTimeline: passports.DocumentTimeline,
      DocumentItem: passports.TaskItem,
      DocumentList: passports.TaskList,
      DocumentStatus: passports.TaskStatus,
      DocumentField: Object.values(passports.Result.properties.fields.patternProperties)[0],
      DocumentResult: passports.Result,
      DocumentRejected: passports.Uploaded.properties.rejected.items,
      DocumentsUploaded: passports.Uploaded,
      PageImage: passports.Image,
      PageImagesUploaded: passports.ImagesUploaded,
      PageImages: passports.Images,
      PageImageRotated: passports.Rotated,
      PdfCreated: passports.PdfCreated,
      DocumentUpdated: passports.Updated,
      DocumentConfirmed: passports.Confirmed,
      EditHistory: passports.History,
      DocumentEvent: passports.Event,
      DocumentEvents: passports.EventPage,
      CleanupResult: passports.CleanedUp,
      DeepHealth: passports.DeepHealth,
      FailedStatistics: statistics.FailedStats,
      QualityStatistics: statistics.QualityStats,
      PassportsToken: passports.TokenAnswer,
    },
    catalog: {
      SearchQuery,
      Hit: HitBody,
      SearchResults: SearchResultBody,
      Row: RowBody,
      SimilarRecords: SimilarBody,
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
}

/** Unchanged files keep their time, so that they cause no build. */
function writeIfChanged(file, text) {
  try {
    if (readFileSync(file, 'utf8') === text) return;
  } catch {
    // It does not exist yet.
  }
  writeFileSync(file, text);
}

/**
 * Generates formatted TypeScript declarations with descriptions. Nested schemas that have a name are referenced by it.
 */
export function typescriptOf(named) {
  const names = new Map(Object.entries(named).map(([name, schema]) => [schemaKey(schema), name]));
  return Object.entries(named)
    .map(([name, schema]) => {
      const comment = schema.description === undefined ? '' : `/** ${schema.description} */\n`;
      return isRecord(schema)
        ? `${comment}export interface ${name} ${members(schema, names, '')}\n`
        : `${comment}export type ${name} = ${typeText(schema, names, '', true)};\n`;
    })
    .join('\n');
}

function typeText(schema, names, indent, isItself = false) {
  const name = names.get(schemaKey(schema));
  if (name !== undefined && !isItself) return name;
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.anyOf) return schema.anyOf.map((each) => typeText(each, names, indent)).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array': {
      const item = typeText(schema.items ?? {}, names, indent);
      return /[ |]/.test(item) && !item.startsWith('{') ? `readonly (${item})[]` : `readonly ${item}[]`;
    }
    case 'object': {
      const [values] = Object.values(schema.patternProperties ?? {});
      if (values) return `{\n${indent}  readonly [key: string]: ${typeText(values, names, `${indent}  `)};\n${indent}}`;
      if (isRecord(schema)) return members(schema, names, indent);
      return 'Readonly<Record<string, unknown>>';
    }
    default:
      return 'unknown';
  }
}

function members(schema, names, indent) {
  const inner = `${indent}  `;
  const lines = Object.entries(schema.properties ?? {}).flatMap(([key, member]) => {
    const mark = schema.required?.includes(key) ? '' : '?';
    const line = `${inner}readonly ${key}${mark}: ${typeText(member, names, inner)};`;
    return member.description === undefined ? [line] : [`${inner}/** ${member.description} */`, line];
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

const isRecord = (schema) => schema.type === 'object' && Object.keys(schema.properties ?? {}).length > 0;
const literal = (value) => (typeof value === 'string' ? `'${value}'` : String(value));

/**
 * Identity of a schema: its content without description and examples. Only object schemas with members can match a
 * name.
 */
function schemaKey(schema) {
  if (!isRecord(schema)) return JSON.stringify([schema]);
  const { description: _, examples: __, ...rest } = schema;
  return JSON.stringify(rest);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(WIRE, { recursive: true });
  for (const [service, schemas] of Object.entries(await namedSchemas(process.argv[2])))
    writeIfChanged(
      join(WIRE, `${service}.ts`),
      `// Generated by scripts/client-types.mjs from the schemas of the services.\n\n${typescriptOf(schemas)}`,
    );
}
