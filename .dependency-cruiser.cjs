// The floors of the house: a file imports only from lower floors and its own folder.
const floor = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });
const TEST = '\\.test\\.tsx?$|/testing/|\\.contract\\.ts$|^test/|^bench/';

module.exports = {
  forbidden: [
    floor(
      'no-circles',
      {},
      { circular: true },
      'A circle means that two files are one idea, or that an idea is missing.',
    ),
    floor('base-knows-nothing', { path: '^src/base/' }, { path: '^src/(?!base/)' }, 'Floor 1 stands on nothing.'),
    floor(
      'floor-2-knows-only-base',
      { path: '^src/(tasks|http|ml|ui)/' },
      { path: '^src/(?!base/|$1/)' },
      'tasks, http, ml and ui do not know each other.',
    ),
    floor(
      'services-are-strangers',
      { path: '^src/services/([^/]+)/' },
      { path: '^src/services/(?!$1/)[^/]+/|^src/services/index\\.ts$' },
      'A service knows its own folder and what lies beside the folders: the routes that services share.',
    ),
    floor(
      'services-know-lower-floors',
      { path: '^src/services/' },
      { path: '^src/(roles/|(main|compose|app-context|plan|config|local-credentials)\\.ts|commands/)' },
      'A service is handed to a role; it knows none.',
    ),
    floor(
      'roles-know-no-service-by-name',
      { path: '^src/roles/', pathNot: TEST },
      { path: '^src/services/[^/]+/' },
      'A role is handed services.',
    ),
    floor(
      'roles-know-no-command-line',
      { path: '^src/roles/' },
      { path: '^src/(main|compose|app-context|plan|config|local-credentials)\\.ts|^src/commands/' },
    ),
    floor(
      'client-stands-alone',
      { path: '^src/client/', pathNot: TEST },
      { pathNot: '^src/client/' },
      'It runs in browsers too, and whoever has it need not have the rest.',
    ),
    floor(
      'client-is-for-commands',
      { path: '^src/(?!client/|commands/)', pathNot: TEST },
      { path: '^src/client/' },
      'Inside the house nobody is a client, but for the command line.',
    ),
    floor(
      'conform-knows-only-the-paper',
      { path: '^src/conform/' },
      { path: '^src/(?!conform/)|node_modules/' },
      'It judges deployments by the specification: what it shared with the product, it could not find wrong.',
    ),
    floor('conform-is-for-the-command-line', { path: '^src/(?!conform/|commands/)' }, { path: '^src/conform/' }),
    floor('pg-by-one-door', { path: '^src/', pathNot: `^src/base/db(-errors)?\\.ts|${TEST}` }, { path: 'node_modules/pg/' }),
    floor(
      'onnxruntime-by-one-door',
      { path: '^src/', pathNot: '^src/ml/' },
      { path: 'node_modules/(onnxruntime-node|sherpa-onnx|@huggingface)' },
    ),
    floor(
      'marked-by-one-door',
      { path: '^src/', pathNot: '^src/ui/help/markdown\\.ts' },
      { path: 'node_modules/marked/' },
    ),
    floor(
      'opentelemetry-by-one-door',
      { path: '^src/', pathNot: `^src/base/trace-export\\.ts|${TEST}` },
      { path: 'node_modules/@opentelemetry/' },
      'It is loaded when an endpoint is set, and only then.',
    ),
    floor('undici-by-one-door', { path: '^src/', pathNot: `^src/base/|${TEST}` }, { path: 'node_modules/undici/' }),
    floor(
      'gateway-without-network',
      // Whatever of a service is neither its model nor its training belongs to the gateway; `model-routes` does too.
      { path: '^src/(services/([^/]+/(?!model(?!-routes)|train|browser/)|[^/]+$)|http/|roles/serve)', pathNot: TEST },
      {
        path: '^src/ml/|/model(?!-routes|-info)[a-z-]*\\.ts$|^src/services/[^/]+/model/|node_modules/(onnxruntime-node|sharp|sherpa-onnx|tesseract|@huggingface|@embedpdf)',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
      'A gateway starts without a neural network on disk: models come late, by import().',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
