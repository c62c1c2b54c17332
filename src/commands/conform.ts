import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { OperatorError } from '../base/operator-error.ts';
import { parsedUrl } from '../base/parsed-url.ts';
import {
  createProbe,
  NoAnswer,
  recognise,
  refusedCredential,
  run,
  type Subject,
  subjects,
  summaryLine,
  type Verdict,
  type Visit,
  verdictJson,
  verdictLines,
} from '../conform/index.ts';
import { PACKAGE_ROOT, plan } from '../plan.ts';
import { sendable } from './sendable.ts';

export interface ConformOptions {
  readonly service?: string;
  readonly token?: string;
  readonly apiKey?: string;
  readonly imageUrl?: string;
  readonly audioUrl?: string;
  readonly webhookUrl?: string;
  /** Checks whose id is one of these, or begins with it. */
  readonly only?: readonly string[];
  readonly flood?: boolean;
  readonly cleanup?: boolean;
  /** Seconds. */
  readonly patience?: string;
  readonly json?: boolean;
}

/**
 * `assay conform URL`: looks at a deployment with the eyes of the specification and prints what fails. Answers
 * whether everything that could be seen holds; what keeps it from looking is an `OperatorError`.
 */
export async function conformCommand(
  url: string,
  options: ConformOptions,
  { signal, say = (line: string) => console.log(line) }: { signal: AbortSignal; say?: (line: string) => void },
): Promise<boolean> {
  const base = baseOf(url);
  const probe = createProbe(base, signal);
  try {
    const subject = await subjectOf(options.service, () => recognise(probe), base);
    const wanted = wantedChecks(subject, options.only ?? []);
    const visit: Visit = { probe, ...(await given(subject, base, options)), nonce: newNonce(), signal };
    const refusal = await refusedCredential(subject, visit);
    if (refusal !== undefined) throw new OperatorError(refusal);

    if (!options.json) say(`${subject.name} at ${base}\n`);
    const verdicts: Verdict[] = [];
    for await (const verdict of run(subject, visit, wanted)) {
      verdicts.push(verdict);
      if (!options.json) for (const line of verdictLines(verdict)) say(line);
    }
    if (options.json)
      say(JSON.stringify({ service: subject.name, url: base, checks: verdicts.map(verdictJson) }, null, 2));
    else say(`\n${summaryLine(verdicts)}`);
    return verdicts.every(({ outcome }) => outcome !== 'failed');
  } catch (error) {
    if (error instanceof NoAnswer) throw new OperatorError(`Nothing answers at ${base} (${error.message}).`);
    if (signal.aborted) throw new OperatorError('Given up before the end.');
    throw error;
  }
}

async function subjectOf(named: string | undefined, ask: () => Promise<Subject | undefined>, base: string) {
  if (named === undefined) {
    const found = await ask();
    if (found) return found;
    throw new OperatorError(`What answers at ${base} does not say which service it is; --service names it.`);
  }
  // The specification calls it by what it was made for, everybody else by what it is.
  const subject = subjects.find(({ name }) => name === (named === 'catalog' ? 'reports' : named));
  if (subject) return subject;
  throw new OperatorError(`There is no service ${named}: ${subjects.map(({ name }) => name).join(', ')}.`);
}

function wantedChecks({ name, checks }: Subject, only: readonly string[]) {
  const isWanted = (id: string) => only.length === 0 || only.some((one) => id === one || id.startsWith(`${one}.`));
  const unknown = only.find((one) => !checks.some(({ id }) => id === one || id.startsWith(`${one}.`)));
  if (unknown !== undefined) throw new OperatorError(`There is no check ${unknown} of ${name}.`);
  return ({ id }: { id: string }) => isWanted(id);
}

async function given({ name }: Subject, base: string, options: ConformOptions) {
  const sameMachine = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(base).hostname);
  const isPassports = name === 'passports';
  const named = isPassports ? options.apiKey : sendable(options.token);
  const credential = named ?? (sameMachine ? await localCredential(name) : undefined);
  const example = (file: string) => () => readFile(new URL(`examples/${file}`, PACKAGE_ROOT));
  return {
    token: isPassports ? undefined : credential,
    apiKey: isPassports ? credential : undefined,
    fileUrl: httpsAddress(name === 'stt' ? options.audioUrl : options.imageUrl),
    specimens: {
      image: example('wall.jpg'),
      recording: example('voice-note.mp3'),
      document: example('passport.pdf'),
    },
    // A name that never resolves (RFC 6761), so that nobody is called.
    webhookUrl: httpsAddress(options.webhookUrl) ?? 'https://conform.invalid/hook',
    sameMachine,
    patienceMs: secondsOf(options.patience) * 1000,
    mayFlood: options.flood ?? false,
    mayCleanUp: options.cleanup ?? false,
  };
}

/** What the settings of this machine say, or what the local profile has made: never for an address elsewhere. */
async function localCredential(name: string): Promise<string | undefined> {
  const { services } = await plan(process.env, 'conform');
  // The reports of the specification are a part of our catalog.
  const own = name === 'reports' ? 'catalog' : name;
  return services.find((service) => service.name === own)?.credential;
}

function baseOf(url: string): string {
  const parsed = parsedUrl(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new OperatorError(`${url} is no http or https address.`);
  if (parsed.username || parsed.password)
    throw new OperatorError('The address has a user name in it; --token is the place for credentials.');
  return parsed.origin + parsed.pathname.replace(/(?<!\/)\/+$/, '');
}

function httpsAddress(url: string | undefined): string | undefined {
  if (url === undefined || parsedUrl(url)?.protocol === 'https:') return url;
  throw new OperatorError(`${url} is no https address.`);
}

function secondsOf(patience = '300'): number {
  if (/^[1-9]\d{0,4}$/.test(patience)) return Number(patience);
  throw new OperatorError(`--patience is a number of seconds from 1 to 99999, not ${patience}.`);
}

const newNonce = () => randomBytes(5).toString('hex');
