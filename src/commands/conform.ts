import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { OperatorError } from '../base/operator-error.ts';
import { isLoopback } from '../base/outbound-url.ts';
import { parseUrl } from '../base/parse-url.ts';
import { loadConfig, PACKAGE_ROOT } from '../config.ts';
import {
  type CheckResult,
  createProbe,
  detectService,
  findCredentialError,
  formatResult,
  formatSummary,
  NoResponse,
  resultToJson,
  runChecks,
  type ServiceChecks,
  serviceChecks,
  type Visit,
} from '../conform/index.ts';
import { parseServerUrl, validateToken } from './resolve-server.ts';

export interface ConformOptions {
  readonly service?: string;
  readonly token?: string;
  readonly apiKey?: string;
  readonly imageUrl?: string;
  readonly audioUrl?: string;
  readonly webhookUrl?: string;
  /** Check ids or their dotted prefixes. */
  readonly only?: readonly string[];
  readonly checkRateLimit?: boolean;
  readonly cleanup?: boolean;
  readonly timeout?: string;
  readonly json?: boolean;
}

/** Returns whether all executed checks passed; throws an `OperatorError` when they cannot run. */
export async function conformCommand(
  url: string,
  options: ConformOptions,
  { signal, say = (line: string) => console.log(line) }: { signal: AbortSignal; say?: (line: string) => void },
): Promise<boolean> {
  const base = parseServerUrl(url);
  const probe = createProbe(base, signal);
  try {
    const subject = await subjectOf(options.service, () => detectService(probe), base);
    const wanted = wantedChecks(subject, options.only ?? []);
    const visit: Visit = { probe, ...(await runInputs(subject, base, options)), nonce: newNonce(), signal };
    const problem = await findCredentialError(subject, visit);
    if (problem !== undefined) throw new OperatorError(problem);

    if (!options.json) say(`${serviceNameOf(subject)} at ${base}\n`);
    const results: CheckResult[] = [];
    for await (const result of runChecks(subject, visit, wanted)) {
      results.push(result);
      if (!options.json) for (const line of formatResult(result)) say(line);
    }
    if (options.json)
      say(JSON.stringify({ service: serviceNameOf(subject), url: base, checks: results.map(resultToJson) }, null, 2));
    else say(`\n${formatSummary(results)}`);
    return results.every(({ outcome }) => outcome !== 'failed');
  } catch (error) {
    if (error instanceof NoResponse) throw new OperatorError(`No response from ${base} (${error.message}).`);
    if (signal.aborted) throw new OperatorError('Interrupted before the end.');
    throw error;
  }
}

async function subjectOf(named: string | undefined, detect: () => Promise<ServiceChecks | undefined>, base: string) {
  if (named === undefined) {
    const found = await detect();
    if (found) return found;
    throw new OperatorError(`The service at ${base} could not be detected; specify it with --service.`);
  }
  const subject = serviceChecks.find((each) => each.name === named || serviceNameOf(each) === named);
  if (subject) return subject;
  throw new OperatorError(`Unknown service ${named}. Services: ${serviceChecks.map(serviceNameOf).join(', ')}.`);
}

/** The ids of the catalog's checks begin with `reports`, because they cover only its reports. */
const serviceNameOf = ({ name }: ServiceChecks) => (name === 'reports' ? 'catalog' : name);

function wantedChecks(subject: ServiceChecks, only: readonly string[]) {
  const { checks } = subject;
  const isWanted = (id: string) => only.length === 0 || only.some((one) => id === one || id.startsWith(`${one}.`));
  const unknown = only.find((one) => !checks.some(({ id }) => id === one || id.startsWith(`${one}.`)));
  if (unknown !== undefined) throw new OperatorError(`Unknown check ${unknown} of ${serviceNameOf(subject)}.`);
  return ({ id }: { id: string }) => isWanted(id);
}

async function runInputs(subject: ServiceChecks, base: string, options: ConformOptions) {
  const name = serviceNameOf(subject);
  const sameMachine = isLoopback(base);
  const isPassports = name === 'passports';
  const explicit = isPassports ? options.apiKey : validateToken(options.token);
  const credential = explicit ?? (sameMachine ? await localCredential(name) : undefined);
  const example = (file: string) => () => readFile(new URL(`examples/${file}`, PACKAGE_ROOT));
  return {
    token: isPassports ? undefined : credential,
    apiKey: isPassports ? credential : undefined,
    fileUrl: httpsAddress(name === 'stt' ? options.audioUrl : options.imageUrl),
    specimens: { image: example('wall.jpg'), recording: example('voice-note.mp3'), document: example('passport.pdf') },
    // A name that never resolves (RFC 6761).
    webhookUrl: httpsAddress(options.webhookUrl) ?? 'https://conform.invalid/hook',
    sameMachine,
    timeoutMs: secondsOf(options.timeout) * 1000,
    mayFlood: options.checkRateLimit ?? false,
    mayCleanUp: options.cleanup ?? false,
  };
}

/** Never sent to another machine. */
async function localCredential(name: string): Promise<string | undefined> {
  const { services } = await loadConfig(process.env, 'conform');
  return services.find((service) => service.name === name)?.credential;
}

function httpsAddress(url: string | undefined): string | undefined {
  if (url === undefined || parseUrl(url)?.protocol === 'https:') return url;
  throw new OperatorError(`${url} is not an https URL.`);
}

function secondsOf(timeout = '300'): number {
  if (/^[1-9]\d{0,4}$/.test(timeout)) return Number(timeout);
  throw new OperatorError(`--timeout must be a number of seconds from 1 to 99999, not ${timeout}.`);
}

const newNonce = () => randomBytes(5).toString('hex');
