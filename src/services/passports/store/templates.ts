import { CLIENT_LIMIT_MS, type Db, type Queryable } from '../../../base/db.ts';
import type { Caller } from '../documents.ts';

/** A form that corrections have taught. */
export interface TemplateRow {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly createdAt: Date;
  readonly changedAt: Date;
  readonly usedAt: Date | null;
  readonly uses: number;
  readonly corrections: readonly TemplateCorrection[];
}

export interface TemplateCorrection {
  readonly document: string;
  /** Null if the document is deleted. */
  readonly filename: string | null;
  readonly learnedAt: string;
  /** Fields and tables whose places the document taught. */
  readonly fields: readonly string[];
}

/** Templates belong to an API key; those of documents without a key belong to their session. */
const ownersOf = ({ session, key }: Caller): string[] => (key === undefined ? [session] : [`key:${key}`, session]);

export type TemplateStore = ReturnType<typeof postgresTemplates>;

/** Methods return `undefined` for templates of other owners. */
export function postgresTemplates(db: Db) {
  return {
    /** The latest first. */
    async list(caller: Caller): Promise<TemplateRow[]> {
      return (await db.query<TemplateRow>(LIST, [ownersOf(caller)])).rows;
    },
    find: (caller: Caller, id: string) => find(db, caller, id),
    async update(caller: Caller, id: string, { name, enabled }: { name?: string; enabled?: boolean }) {
      const { rowCount } = await db.query(UPDATE, [id, ownersOf(caller), name ?? null, enabled ?? null]);
      return rowCount > 0 ? find(db, caller, id) : undefined;
    },
    async remove(caller: Caller, id: string): Promise<boolean> {
      return (await db.query(REMOVE, [id, ownersOf(caller)])).rowCount > 0;
    },
    /** Undoes what a document taught. A template without corrections is deleted. */
    removeCorrection: (caller: Caller, id: string, document: string) =>
      db.transaction(async (tx): Promise<'removed' | 'template-removed' | undefined> => {
        await tx.query(LOCK, [id, ownersOf(caller)]);
        const template = await find(tx, caller, id);
        if (!template?.corrections.some((one) => one.document === document)) return undefined;
        await tx.query('delete from passport_lessons where document = $1 and template = $2', [document, id]);
        if (template.corrections.length === 1) {
          await tx.query(REMOVE, [id, ownersOf(caller)]);
          return 'template-removed';
        }
        await tx.query('update passport_templates set changed_at = clock_timestamp() where id = $1', [id]);
        return 'removed';
      }),
  };
}

async function find(db: Queryable, caller: Caller, id: string): Promise<TemplateRow | undefined> {
  return (await db.query<TemplateRow>(FIND, [ownersOf(caller), id])).rows[0];
}

/** Deletes the templates of ended anonymous sessions. */
export async function deleteOrphanedTemplates(db: Queryable): Promise<void> {
  for (const table of ['passport_templates', 'passport_template_owners']) {
    await db.query(`
      delete from ${table} t
       where t.owner not like 'key:%' and not exists (select from passport_sessions s where s.digest = t.owner)`);
  }
}

const limitMs = CLIENT_LIMIT_MS;

const COLUMNS = `
  t.id, t.name, t.enabled, t.created_at as "createdAt", t.changed_at as "changedAt", t.used_at as "usedAt", t.uses,
  (select coalesce(json_agg(json_build_object(
            'document', l.document,
            'filename', d.filename,
            'learnedAt', l.learned_at,
            'fields', (select coalesce(json_agg(taught.key), '[]')
                         from (select f ->> 'key' as key from json_array_elements(l.lesson -> 'fields') as f
                               union all
                               select s ->> 'section' from json_array_elements(l.lesson -> 'tables') as s) as taught)
          ) order by l.learned_at desc), '[]')
     from passport_lessons l
     left join passport_documents d on d.id = l.document
    where l.template = t.id) as corrections`;

const LIST = {
  name: 'passport-templates',
  limitMs,
  text: `select ${COLUMNS} from passport_templates t where t.owner = any($1::text[]) order by t.created_at desc, t.id desc`,
};

const FIND = {
  name: 'passport-template',
  limitMs,
  text: `select ${COLUMNS} from passport_templates t where t.owner = any($1::text[]) and t.id = $2`,
};

const UPDATE = {
  name: 'passport-template-update',
  limitMs,
  text: `
    update passport_templates
       set name = coalesce($3, name), enabled = coalesce($4, enabled),
           changed_at = case when $4 is distinct from enabled and $4 is not null then clock_timestamp() else changed_at end
     where id = $1 and owner = any($2::text[])`,
};

const REMOVE = {
  name: 'passport-template-remove',
  limitMs,
  text: 'delete from passport_templates where id = $1 and owner = any($2::text[])',
};

const LOCK = 'select from passport_templates where id = $1 and owner = any($2::text[]) for update';
