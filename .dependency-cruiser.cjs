// The layers of ARCHITECTURE.md: a file imports only from lower layers and its own folder.
const rule = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });
const TEST = '\\.test\\.tsx?$|^test/|^bench/';

/** All files of a service except its model, training, image codecs and browser code; `http/`; the role `serve`. */
const GATEWAY =
  '^src/(services/([^/]+/(?!model(/|\\.ts)|indexer|training/|images/|browser/)|[^/]+$)|http/|roles/serve)';

module.exports = {
  forbidden: [
    rule('no-circles', {}, { circular: true }, 'Merge the files, or move what both need into a third one.'),
    rule(
      'base-is-the-lowest-layer',
      { path: '^src/base/' },
      { path: '^src/(?!base/)' },
      'Layer 1 imports no other layer.',
    ),
    rule(
      'layer-2-imports-only-base',
      { path: '^src/(tasks|http|ml|ui)/' },
      { path: '^src/(?!base/|$1/|client/wire/)' },
      'tasks, http, ml and ui are independent of each other.',
    ),
    rule(
      'services-are-independent',
      { path: '^src/services/([^/]+)/' },
      { path: '^src/services/(?!$1/|shared/)[^/]+/|^src/services/index\\.ts$' },
      'A service imports its own folder and services/shared/, not another service; shared code imports no service.',
    ),
    rule(
      'services-import-lower-layers',
      { path: '^src/services/' },
      { path: '^src/(roles/|(main|app-context|role-contexts|config|local-credentials)\\.ts|commands/)' },
      'Roles receive services as arguments; services do not import roles.',
    ),
    rule(
      'roles-import-no-service',
      { path: '^src/roles/', pathNot: TEST },
      { path: '^src/services/(?!shared/)' },
      'A role receives services as arguments.',
    ),
    rule(
      'roles-import-no-command-line',
      { path: '^src/roles/' },
      { path: '^src/(main|app-context|role-contexts|config|local-credentials)\\.ts|^src/commands/' },
    ),
    rule(
      'client-is-self-contained',
      { path: '^src/client/', pathNot: TEST },
      { pathNot: '^src/client/' },
      'The client also runs in browsers and is published without the rest.',
    ),
    rule(
      'client-is-used-by-commands-only',
      { path: '^src/(?!client/|commands/)', pathNot: [TEST, '/browser/'] },
      { path: '^src/client/' },
      'Inside the product only the command line is a client.',
    ),
    rule(
      'pages-use-types-of-the-client-only',
      { path: '/browser/', pathNot: TEST },
      { path: '^src/client/(?!wire/)' },
      'Pages send requests with `ui/browser/`; the types of the responses are generated from the schemas.',
    ),
    rule(
      'conform-is-self-contained',
      { path: '^src/conform/' },
      { path: '^src/(?!conform/)|node_modules/' },
      'A conformance check cannot detect errors in code that it shares with the product.',
    ),
    rule('conform-is-used-by-commands-only', { path: '^src/(?!conform/|commands/)' }, { path: '^src/conform/' }),
    rule('product-imports-no-test', { path: '^src/', pathNot: TEST }, { path: TEST }),
    rule(
      'unit-tests-need-no-server',
      { path: '^src/.*\\.test\\.tsx?$', pathNot: '\\.(integration|full)\\.test\\.tsx?$' },
      {
        path: '^test/support/(database|product)\\.ts$|^src/base/embedded-postgres\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
      'Rename the file to `x.integration.test.ts`.',
    ),
    rule(
      'pg-in-one-module',
      { path: '^src/', pathNot: `^src/base/(db(-errors|-listen)?|copy)\\.ts|${TEST}` },
      { path: 'node_modules/pg/' },
    ),
    rule(
      'onnxruntime-in-one-module',
      { path: '^src/', pathNot: '^src/ml/' },
      { path: 'node_modules/(onnxruntime-node|sherpa-onnx|@huggingface)' },
    ),
    rule(
      'marked-in-one-module',
      { path: '^src/', pathNot: '^src/ui/help/markdown\\.ts' },
      { path: 'node_modules/marked/' },
    ),
    rule(
      'opentelemetry-in-one-module',
      { path: '^src/', pathNot: `^src/base/trace-export\\.ts|${TEST}` },
      { path: 'node_modules/@opentelemetry/' },
      'It is loaded only when an endpoint is configured.',
    ),
    rule('undici-in-one-module', { path: '^src/', pathNot: `^src/base/|${TEST}` }, { path: 'node_modules/undici/' }),
    rule(
      'gateway-without-models',
      { path: GATEWAY, pathNot: `^src/services/[^/]+/index\\.ts$|${TEST}` },
      { path: '^src/services/[^/]+/model(/|\\.ts)' },
      'Only the worker uses the model. What the gateway needs too, types included, stands outside of model/.',
    ),
    rule(
      'gateway-starts-without-native-modules',
      { path: GATEWAY, pathNot: TEST },
      {
        path: '^src/ml/|^src/services/[^/]+/(model(/|\\.ts)|images/)|node_modules/(onnxruntime-node|sharp|sherpa-onnx|tesseract|@huggingface|@embedpdf)',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
      'A gateway starts without models on disk: it loads them, and image codecs, by import().',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
