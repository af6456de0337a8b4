import { z } from 'zod'
import { CellChart } from './dashboards/cell-chart.ts'
import { DefinitionText } from './dashboards/definition.ts'
import { Interaction } from './dashboards/interaction.ts'
import { FieldFormat, FieldType } from './contacts.ts'
import { personalKey } from './email-schemas.ts'
import { messages } from './messages.ts'
import { ReadText } from './read-text.ts'
import type { Route } from './route.ts'
import { versionOfChange } from './versions.ts'

/** Tags that a dashboard can have (specification 4 §9). */
export const dashboardTags = [
  'channel',
  'event',
  'form',
  'inbound',
  'goal',
  'page',
  'program',
  'outbound',
  'schedule',
  'score',
] as const

/** Refuses a value that is listed twice (specification 4 §5). Emails are compared by key, without regard to case. */
function eachOnce(values: readonly (string | number)[], context: z.RefinementCtx): void {
  const seen = new Set<string | number>()
  values.forEach((value, index) => {
    if (seen.has(value)) context.addIssue({ code: 'custom', message: `${value} is duplicate!`, path: [index] })
    seen.add(value)
  })
}

const listOf = <T extends z.ZodType<string | number>>(value: T) =>
  z.union([z.literal('all'), z.array(value).min(1, messages.required).max(1000).superRefine(eachOnce)])

/** The maximum of the database's integers. */
const largestInteger = 2_147_483_647

const Ids = listOf(z.number().int().min(1).max(largestInteger))
const Emails = listOf(personalKey(messages.invalid))

/**
 * The people who see a dashboard in addition to its author: those who match all three. An account without a parent
 * counts as its own parent.
 */
export const SharedWith = z.strictObject({
  /** Ids of parent accounts. */
  paids: Ids,
  /** Ids of accounts. */
  aids: Ids,
  /** Keys of emails. */
  users: Emails,
})
export type SharedWith = z.output<typeof SharedWith>

/** Size limit of a request with a definition, in bytes. Older clients also send the data of their charts. */
export const dashboardBodyBytes = 5_000_000

export const NewDashboard = z.strictObject({
  name: z.string().trim().min(1, messages.required).max(100, 'Use at most 100 characters.'),
  tags: z.array(z.enum(dashboardTags)).min(1, messages.required).max(dashboardTags.length).superRefine(eachOnce),
  sharedWith: SharedWith,
  /** JSON text; see `dashboards/definition.ts`. */
  definition: DefinitionText,
})
export type NewDashboard = z.output<typeof NewDashboard>

export const ChangedDashboard = NewDashboard.extend({
  ...versionOfChange,
  /** Sent by older clients; ignored. */
  _id: z.string().optional(),
  author: z.string().optional(),
})
export type ChangedDashboard = z.output<typeof ChangedDashboard>

/** A dashboard as sent to the people who see it. */
export const Dashboard = z.object({
  _id: z.string(),
  name: z.string(),
  tags: z.array(z.enum(dashboardTags)),
  /** Email. */
  author: z.string(),
  /** JSON text; empty in a list that leaves definitions out. */
  definition: z.string(),
  version: z.number().int(),
  updatedAt: z.string(),
  /** Whether the caller is its author and signed in to the account that it belongs to. */
  isAuthor: z.boolean(),
  /** The author has left the account that it belongs to, and the caller may take it over. */
  mayTakeOver: z.boolean(),
  isFavourite: z.boolean(),
  /** For the author and those who may take it over. Emails of earlier releases may be ones that are refused now. */
  sharedWith: SharedWith.extend({ users: z.union([z.literal('all'), z.array(z.string())]) }).optional(),
})
export type Dashboard = z.output<typeof Dashboard>

export const DashboardVersion = z.object({
  version: z.number().int(),
  /** Email of the person who saved it. */
  savedBy: z.string(),
  savedAt: z.string(),
  /** The changes in words: "Added Contacts by city. Shared with everyone." */
  changes: z.string(),
})
export type DashboardVersion = z.output<typeof DashboardVersion>

const Row = z.record(z.string(), z.unknown())

/** Sort order of the rows of a table. */
const Order = z.record(z.string(), z.union([z.literal(1), z.literal(-1)]))

/** The requested part of a cell's rows: of a paged table, or of the values of a dropdown that contain a text. */
const Part = {
  search: z.string().trim().max(200).default(''),
  /** Columns of the cell. */
  sort: Order.default({}),
  skip: z.number().int().min(0).max(1_000_000).default(0),
  limit: z.number().int().min(1).max(5000).optional(),
}

export const CellQuestion = Interaction.extend({
  /** The version on screen. Any version other than the current one is refused. */
  version: z.number().int().min(1).max(largestInteger),
  ...Part,
  /** Reads the data again instead of using the cache. */
  refresh: z.boolean().default(false),
})
export type CellQuestion = z.output<typeof CellQuestion>

/** The result of one cell. */
export const CellAnswer = z.object({
  /** Groups, or contacts of a paged table; for a dropdown, its values with their `count`. */
  rows: z.array(Row),
  /** Total number of rows. */
  total: z.number().int(),
  /** For tables with totals: the computed values of all groups together. */
  totals: Row.optional(),
  /** For pivot tables: the same for each value of the first and of the second key. */
  rowTotals: z.array(Row).optional(),
  columnTotals: z.array(Row).optional(),
  /** For KPI tiles. Null if it cannot be computed. `previous`: that of the preceding period of the same length. */
  kpi: z.object({ value: z.number().nullable(), previous: z.number().nullable().optional() }).optional(),
  /** The fields of contacts in the cell's keys, values and columns: viewers need them to show values. */
  fields: z.array(z.object({ name: z.string(), type: FieldType, format: FieldFormat.optional() })),
  /** The days of each date that date pickers narrow the cell to, both ends included. */
  dates: z.array(z.object({ field: z.string(), from: z.string(), to: z.string() })).optional(),
  /** When the data was read. */
  asOf: z.string(),
})
export type CellAnswer = z.output<typeof CellAnswer>

/** A cell that is being edited, without interaction. */
export const CellPreview = z.strictObject({ chart: CellChart, ...Part })
export type CellPreview = z.output<typeof CellPreview>

const path = '/contact-service/v1/dashboards'
const params = z.object({ id: z.string() })
const versionParams = z.object({ id: z.string(), version: z.coerce.number().int().min(1).max(largestInteger) })

export const dashboardsApi = {
  listDashboards: {
    method: 'GET',
    path,
    summary: 'List the dashboards that the caller sees in this account, by name',
    access: 'bi::dashboards::get',
    query: z.strictObject({
      find: z.string().trim().max(200).optional().describe('Part of the name, whatever its letter case.'),
      tag: z.enum(dashboardTags).optional(),
      definition: z
        .enum(['true', 'false'])
        .default('true')
        .describe(
          '"false" leaves definitions out. Of more than 20 MB, those that come last by name are left out as well.',
        ),
      limit: z.coerce.number().int().min(1).max(1000).default(1000),
      skip: z.coerce.number().int().min(0).default(0),
    }),
    reply: z.array(Dashboard),
  },
  getDashboard: {
    method: 'GET',
    path: `${path}/:id`,
    summary: 'Get a dashboard with its definition',
    access: 'bi::dashboards::get',
    params,
    reply: Dashboard,
    errors: ['not_found'],
  },
  createDashboard: {
    method: 'POST',
    path,
    summary: 'Create a dashboard',
    access: 'bi::dashboards::post',
    stores: { what: 'work', does: 'save dashboards' },
    body: NewDashboard,
    maxBytes: dashboardBodyBytes,
    reply: Dashboard,
    status: 201,
    errors: ['sharing_changed', 'limit_reached'],
  },
  updateDashboard: {
    method: 'PUT',
    path: `${path}/:id`,
    summary: 'Save a dashboard, by its author',
    access: 'bi::dashboards::put',
    stores: { what: 'work', does: 'save dashboards' },
    params,
    body: ChangedDashboard,
    maxBytes: dashboardBodyBytes,
    reply: Dashboard,
    errors: ['not_found', 'not_author', 'newer_version', 'sharing_changed'],
  },
  deleteDashboard: {
    method: 'DELETE',
    path: `${path}/:id`,
    summary: 'Delete a dashboard, by its author',
    access: 'bi::dashboards::delete',
    stores: false,
    params,
    reply: z.null(),
    status: 204,
    errors: ['not_found', 'not_author', 'only_dashboard'],
  },
  takeOverDashboard: {
    method: 'POST',
    path: `${path}/:id/author`,
    summary: 'Become the author of a dashboard whose author has left the account',
    access: 'bi::dashboards::put',
    stores: { what: 'work', does: 'take over dashboards' },
    isJudgedAsStored: true,
    params,
    reply: Dashboard,
    errors: ['not_found', 'not_author'],
  },
  setFavouriteDashboard: {
    method: 'PUT',
    path: `${path}/:id/favourite`,
    summary: 'Mark a dashboard as one’s favourite, or no longer',
    access: 'bi::dashboards::get',
    stores: false,
    params,
    body: z.strictObject({ isFavourite: z.boolean() }),
    reply: Dashboard,
    errors: ['not_found'],
  },
  listDashboardVersions: {
    method: 'GET',
    path: `${path}/:id/versions`,
    summary: 'List the last 50 versions of a dashboard, newest first, for its author',
    access: 'bi::dashboards::get',
    params,
    reply: z.array(DashboardVersion),
    errors: ['not_found', 'not_author'],
  },
  getDashboardVersion: {
    method: 'GET',
    path: `${path}/:id/versions/:version`,
    summary: 'Get a version of a dashboard, for its author',
    access: 'bi::dashboards::get',
    params: versionParams,
    reply: DashboardVersion.extend({ name: z.string(), definition: z.string() }),
    errors: ['not_found', 'not_author'],
  },
  restoreDashboardVersion: {
    method: 'POST',
    path: `${path}/:id/versions/:version/restore`,
    summary: 'Save a version of a dashboard again, as its newest',
    access: 'bi::dashboards::put',
    stores: { what: 'work', does: 'save dashboards' },
    isJudgedAsStored: true,
    params: versionParams,
    /** The newest version that the caller has read. */
    body: z.strictObject(versionOfChange),
    reply: Dashboard,
    errors: ['not_found', 'not_author', 'newer_version', 'sharing_changed'],
  },
  answerCell: {
    method: 'POST',
    path: `${path}/:id/cells/:cell`,
    summary: 'Answer a cell of the stored dashboard, narrowed by what was chosen in others',
    access: 'bi::dashboards::get',
    stores: false,
    params: z.object({ id: z.string(), cell: z.string() }),
    body: CellQuestion,
    reply: CellAnswer,
    errors: ['not_found', 'newer_version', 'cell_failed', 'timed_out'],
  },
  previewCell: {
    method: 'POST',
    path: `${path}/previews`,
    summary: 'Answer a cell that is being edited',
    access: 'contact-service::offers::get',
    stores: false,
    tries: {
      as: ({ chart }) => ({ body: { definition: ReadText.json({ layout: [[{ chart }]] }, '') } }),
    },
    body: CellPreview,
    reply: CellAnswer,
    errors: ['invalid_filter', 'cell_failed', 'timed_out'],
  },
} as const satisfies Record<string, Route>
