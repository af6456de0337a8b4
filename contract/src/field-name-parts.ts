import type { api } from './api.ts'
import type { ConditionOption } from './policies.ts'

/**
 * How a part of a request names fields of contacts: `name` = it is a name, or a list of them; `list` = a text that
 * lists names; `keys` = an object by the names of fields; `edits` = the same, with a `from` and a `to` in each value;
 * `headers` = an object by the columns of a file, which may have names of fields; `stages` = stages of the filter
 * language; `text` = any other text or JSON that contains names.
 */
export type FieldNameForm = 'edits' | 'headers' | 'keys' | 'list' | 'name' | 'stages' | 'text'

type Parts = Readonly<Partial<Record<ConditionOption, Readonly<Record<string, FieldNameForm>>>>>

const importColumns = { purlColumns: 'name', dedupColumns: 'name' } as const
const columnsOfFile = {
  ...importColumns,
  latitudeColumn: 'name',
  longitudeColumn: 'name',
  columnMapping: 'headers',
  'columnMapping.*': 'name',
  onMismatchByField: 'keys',
  columnTypes: 'headers',
} as const
const list = { find: 'stages', sort: 'keys', select: 'list' } as const
const exported = (path: string) => ({ [`${path}exportFields`]: 'name', [`${path}aggregateQuery`]: 'stages' }) as const
const cell = (path: string) =>
  ({
    ...filter(`${path}.filter`),
    ...filter(`${path}.filter2`),
    [`${path}.calculatedColumns.name`]: 'text',
    [`${path}.calculatedColumns.expression`]: 'text',
    [`${path}.calculatedColumns.position`]: 'text',
    [`${path}.portico.dateField`]: 'name',
    [`${path}.portico.formats`]: 'keys',
  }) as const
const filter = (path: string) =>
  ({ [`${path}.standard`]: 'stages', [`${path}.columns`]: 'name', [`${path}.sort`]: 'keys' }) as const
const dashboard = { body: cell('definition.layout.chart') }
const cron = { body: { ...exported('instruction.'), 'instruction.dateField': 'name' } } as const
const remoteAccess = { filter: 'text', publicColumns: 'list' } as const

/**
 * The parts of requests that name fields of contacts, by call; `*` stands for any key. When a field is renamed,
 * conditions of policies change with it in these parts, and nowhere else. A test finds parts of any call that are not
 * listed.
 */
export const fieldNameParts: { readonly [Call in keyof typeof api]?: Parts } = {
  createIdentity: { body: { rowRule: 'stages' } },
  updateIdentity: { body: { rowRule: 'stages' } },
  createPolicy: { body: { conditions: 'text' } },
  updatePolicy: { body: { conditions: 'text' } },
  previewPolicyEffects: { body: { conditions: 'text' } },
  listOffers: { query: { ...list, aggregate: 'stages' } },
  addOffer: { body: { values: 'keys' } },
  editOffer: { body: { changes: 'edits' } },
  mergeOffer: { body: { fields: 'keys' } },
  createContactAccount: { body: importColumns },
  updateContactAccount: { body: importColumns },
  setImportDefaults: { body: importColumns },
  createImport: { body: { ...columnsOfFile, keyField: 'name' } },
  createImportReview: { body: columnsOfFile },
  computeDedupKeys: { body: { dedupColumns: 'name' } },
  previewImport: { body: { onMismatchByField: 'keys' } },
  estimateIndex: { query: { field: 'name', field2: 'name' } },
  getFieldIndex: { query: { field: 'name' } },
  createIndex: { body: { key: 'name', 'options.name': 'text' } },
  deleteIndex: { param: { 0: 'text' } },
  createSavedFilter: { body: { aggregateQuery: 'stages' } },
  updateSavedFilter: { body: { aggregateQuery: 'stages' } },
  deleteOffers: { body: { filter: 'stages' } },
  createExport: { body: exported('') },
  createDashboard: dashboard,
  updateDashboard: dashboard,
  answerCell: { body: { sort: 'keys' } },
  // Conditions check it as the dashboard that it would belong to.
  previewCell: { body: { ...cell('chart'), ...dashboard.body, sort: 'keys' } },
  createCron: cron,
  updateCron: cron,
  testCron: cron,
  testCronChange: cron,
  rateColumns: { query: { column: 'name', column2: 'name' } },
  createRemoteAccess: { body: remoteAccess },
  updateRemoteAccess: { body: remoteAccess },
  // Conditions check its draft as the access that it would become.
  tryRemoteAccess: { body: { ...remoteAccess, 'draft.filter': 'text', 'draft.publicColumns': 'list', query: 'keys' } },
}
