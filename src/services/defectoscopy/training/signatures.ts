import { unpackVector } from '../../../ml/compact-vector.ts';
import { parseFamiliarity } from '../../../ml/familiarity-json.ts';
import { createSigner } from '../../../ml/feature-signature.ts';
import { parseHeads } from '../../../ml/heads.ts';
import { openModelDirectory, readVerifiedFile } from '../../../ml/model-directory.ts';
import type { RecordDraft } from '../../shared/records.ts';
import { SHIPPED_MODELS_DIR } from '../model/registry.ts';
import type { Attachment } from '../result.ts';

type Training = NonNullable<Attachment['training']>;
type FeatureSignature = NonNullable<RecordDraft['signature']>;
type Signer = (training: Training) => FeatureSignature;

let signers: Promise<ReadonlyMap<string, Signer>> | undefined;
const RETRY_MS = 10_000;

/** Of stored features; undefined for those of an unknown network. */
export async function signatureOf(training: Training): Promise<FeatureSignature | undefined> {
  // Records are indexed without signatures while the model files cannot be read; the workers report that.
  signers ??= readSigners().catch(() => {
    setTimeout(() => {
      signers = undefined;
    }, RETRY_MS).unref();
    return new Map();
  });
  return (await signers).get(training.network)?.(training);
}

/**
 * By network, the statistics of the oldest shipped version: versions of `assay train` share its network, and their
 * signatures stay comparable.
 */
async function readSigners(): Promise<ReadonlyMap<string, Signer>> {
  const folder = await openModelDirectory([SHIPPED_MODELS_DIR], () => {});
  folder.close();
  const signers = new Map<string, Signer>();
  for (const installed of folder.versions()) {
    const { 'backbone.onnx': network, 'familiarity.json': statistics } = installed.manifest.files;
    if (!statistics || signers.has(network.sha256)) continue;
    const { features } = parseHeads((await readVerifiedFile(installed, 'heads.json')).bytes.toString('utf8'));
    const { bytes } = await readVerifiedFile(installed, 'familiarity.json');
    const sign = createSigner(parseFamiliarity(bytes.toString('utf8'), features).statistics);
    const version = statistics.sha256.slice(0, 16);
    signers.set(network.sha256, ({ features: packed }) => ({
      version,
      values: sign(unpackVector(Buffer.from(packed, 'base64'))),
    }));
  }
  return signers;
}
