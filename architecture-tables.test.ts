import { expect, test } from 'vitest'
import { find, isTest, moduleOf, read, withoutComments } from './architecture-files.ts'

// Only one module queries a table. The tables are those of server/schema.sql, which the migrations create.

/** Maps modules to their tables, in the control schema and in the schema of each account. */
const owners: Record<string, { control?: string; account?: string }> = {
  platform: { control: 'migrations call_counts secret_check', account: 'migrations' },
  audit: { control: 'audit_log' },
  accounts: { control: 'accounts deployment' },
  persons: { control: 'persons passkeys' },
  access: { control: 'policies groups identities identity_groups group_policies' },
  'sign-in': {
    control:
      'sessions password_requests login_failures recovery_codes second_steps used_challenges known_devices person_links',
  },
  credentials: { control: 'api_credentials impersonations' },
  files: { control: 'uploads pending_files', account: 'export_settings' },
  contacts: {
    account:
      'contacts contact_keys retired_purls merged_keys fields field_numbers field_retypes written_texts events event_fields offered_event_fields',
  },
  'saved-filters': { control: 'saved_filters', account: 'saved_filter_versions' },
  search: { account: 'contact_words contact_word_index filter_settings' },
  segments: { account: 'segment_counts segment_nights segment_favourites' },
  indexes: { account: 'indexes field_searches' },
  senders: { control: 'mail_senders mail_counts' },
  delivery: { account: 'deliveries delivery_attempts host_keys' },
  scheduler: { control: 'crons schedules' },
  imports: {
    account: 'imports import_batches import_changes import_reviews import_defaults import_lines key_computations',
  },
  'contact-edits': { account: 'contact_changes' },
  exports: { account: 'exports' },
  dashboards: { control: 'dashboards dashboard_versions dashboard_favourites' },
  reports: { account: 'reports' },
  'remote-access': { account: 'remote_accesses remote_access_days remote_access_origins' },
  deletes: { account: 'deletes delete_targets deleted_rows' },
  demo: { control: 'demo' },
}

/** Modules with SQL on tables of another module, and why they cannot use its exports. */
const others: { module: string; tables: string; reason: string }[] = [
  { module: 'indexes', tables: 'contacts contact_keys', reason: 'looks up the indexes that every account has' },
  { module: 'platform', tables: 'accounts', reason: 'migrations go through the accounts' },
  {
    module: 'filters',
    tables: 'contacts contact_keys contact_words',
    reason: 'compiles filters into SQL over contacts and everything joined with them',
  },
  {
    module: 'search',
    tables: 'contacts imports',
    reason: 'reads a page of contacts in one statement, and with the state of the word index whether it is outdated',
  },
  {
    module: 'imports',
    tables: 'contacts contact_keys events deletes',
    reason: 'writes contacts by COPY and set-based statements, and has the queue in which undos of deletes wait too',
  },
  { module: 'exports', tables: 'contacts', reason: 'copies contacts out of one snapshot' },
  {
    module: 'deletes',
    tables: 'contacts contact_keys merged_keys contact_words contact_changes import_changes written_texts events',
    reason: 'deletes contacts with everything of theirs, in batches, and returns it',
  },
]

type Table = { schema: 'control' | 'account'; name: string }

const tables: Table[] = [...read('server/schema.sql').matchAll(/^CREATE TABLE :?(portico|account)\.(\w+)/gm)].map(
  ([, schema, name = '']) => ({ schema: schema === 'portico' ? 'control' : 'account', name }),
)
const isListed = (list: string | undefined, name: string): boolean => list?.split(' ').includes(name) ?? false
const ownersOf = ({ schema, name }: Table): string[] =>
  Object.keys(owners).filter((module) => isListed(owners[module]?.[schema], name))

const sources = find('server/src/**/*.ts').filter((file) => !isTest(file))
const named = sources.flatMap((file) => {
  const code = withoutComments(read(file))
  const module = moduleOf(file) ?? /^server\/src\/(platform)\//.exec(file)?.[1] ?? file
  return tables.filter((table) => isNamed(table, code)).map((table) => ({ file, module, table }))
})

/** Returns whether code names a table, with its schema in SQL or in a call of a function that adds the schema. */
function isNamed({ schema, name }: Table, code: string): boolean {
  const reaches = schema === 'control' ? /\bcontrol[<(]/ : /\b(accountTable|inAccount|accountSchema)[<(]/
  const inSql = schema === 'control' ? `\\bportico\\.${name}\\b` : `chema\\b[^}\`]*\\}\\.${name}\\b`
  const quoted = `['"]${name}( as \\w+)?['"]`
  const method = '(?:selectFrom|insertInto|updateTable|deleteFrom|(?:inner|left|right|full|cross)Join|from|using)'
  const asArgument = `(?:\\baccountTable\\([^()]*,\\s*|\\b${method}\\(\\s*\\[?\\s*)${quoted}`
  return (
    new RegExp(inSql).test(code) ||
    (reaches.test(code) && new RegExp(asArgument).test(code)) ||
    (schema === 'account' && new RegExp(`\\btable: ${quoted}`).test(code)) ||
    // A name like contact_keys is unambiguous, so it counts anywhere, such as in a list of tables.
    (name.includes('_') && new RegExp(quoted).test(code))
  )
}

test('every table has exactly one owner, and every listed table exists', () => {
  expect(tables).not.toHaveLength(0)
  expect(tables.filter((table) => ownersOf(table).length !== 1).map(({ name }) => name)).toEqual([])
  const known = (schema: Table['schema']) => tables.filter((table) => table.schema === schema).map(({ name }) => name)
  const listed = (schema: Table['schema']) => Object.values(owners).flatMap((owner) => owner[schema]?.split(' ') ?? [])
  expect(listed('control').filter((name) => !known('control').includes(name))).toEqual([])
  expect(listed('account').filter((name) => !known('account').includes(name))).toEqual([])
})

test('only the owner of a table, and modules listed with a reason, name it', () => {
  const strays = named.filter(
    ({ module, table }) =>
      !ownersOf(table).includes(module) &&
      !others.some((other) => other.module === module && isListed(other.tables, table.name)),
  )
  expect(strays.map(({ file, table }) => `${file} names ${table.name} of ${ownersOf(table).join()}`)).toEqual([])
})

test('every listed exception is still needed', () => {
  const isNeeded = (module: string, name: string): boolean =>
    named.some((each) => each.module === module && each.table.name === name)
  const unneeded = others.flatMap(({ module, tables: list }) =>
    list
      .split(' ')
      .filter((name) => !isNeeded(module, name))
      .map((name) => `${module} no longer names ${name}`),
  )
  expect(unneeded).toEqual([])
})

test('every table is named by its owner', () => {
  const unused = tables.filter(
    (table) => !named.some((each) => each.table === table && ownersOf(table).includes(each.module)),
  )
  expect(unused.map(({ name }) => name)).toEqual([])
})

// PostgreSQL has no index on a relation's schema: a list of an account's tables or indexes reads those of all accounts.
const ofWholeSchema = /\b(?:nspname|schemaname|relnamespace) = \$\{(?![^`]*\b(?:relname|tablename) (?:IN|= ANY) )/

/** Queries that are meant for all tables of an account. */
const listsAll: Record<string, string> = {
  'server/src/modules/imports/loading/left-tables.queries.ts':
    'looks for working tables, once an hour in the background',
}

const listsTables = (file: string, code: string): boolean => !(file in listsAll) && ofWholeSchema.test(code)

test('the tables and indexes of an account are looked up by their names', () => {
  const sources = find('server/src/**/*.ts').filter((file) => !isTest(file))
  expect(sources.filter((file) => listsTables(file, withoutComments(read(file))))).toEqual([])
})

test('the rule detects a query over the whole schema of an account', () => {
  const list =
    'SELECT c.relname FROM pg_class c JOIN pg_namespace n ON true WHERE n.nspname = ${accountSchema(account)}`'
  expect(listsTables('a.ts', list)).toBe(true)
  expect(listsTables('a.ts', 'FROM pg_class WHERE relnamespace = ${schema} AND relname IN (${names})`')).toBe(false)
})
