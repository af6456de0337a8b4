import { expect, test } from 'vitest'
import { z } from 'zod'
import { api } from './api.ts'
import { DashboardCell } from './dashboards/definition.ts'
import { fieldNameParts } from './field-name-parts.ts'
import { hasForm, innerOf } from './read-text.ts'
import type { Route } from './route.ts'
import { instructionSchemas } from './scheduler/instructions.ts'

// If a part that names fields is not listed, a renamed field lets people do what a condition denies by the old name.

/** The schemas by which the contract reads parts that are texts. */
const within: Record<string, z.ZodType> = {
  'body.instruction': z.union(Object.values(instructionSchemas)),
  'body.definition': z.object({ layout: z.array(z.array(DashboardCell)) }),
}

/** Returns the paths of texts, and of all parts that accept any keys or content. */
function pathsOf(schema: z.ZodType, path: string): string[] {
  const inside = within[path]
  if (inside && hasForm(schema)) return pathsOf(inside, path)
  if (hasForm(schema)) return [path]
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([key, part]) => pathsOf(part as z.ZodType, `${path}.${key}`))
  if (schema instanceof z.ZodArray) return pathsOf(schema.element as z.ZodType, path)
  if (schema instanceof z.ZodTuple) return schema.def.items.flatMap((item) => pathsOf(item as z.ZodType, path))
  if (schema instanceof z.ZodRecord) return [path, ...pathsOf(schema.valueType as z.ZodType, `${path}.*`)]
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => pathsOf(option as z.ZodType, path))
  if (schema instanceof z.ZodPipe) {
    const { in: before, out } = schema
    return pathsOf((out instanceof z.ZodTransform ? before : out) as z.ZodType, path)
  }
  const inner = innerOf(schema)
  if (inner) return pathsOf(inner, path)
  const isFixed = [z.ZodNumber, z.ZodBoolean, z.ZodEnum, z.ZodLiteral, z.ZodNull].some((kind) => schema instanceof kind)
  return isFixed ? [] : [path]
}

/** Texts that never name a field, in any call. */
const others = `action actions address address1 address2 app_code at author browser city clicks.cell clicks.keys
  choices.cell choices.include choices.exclude code count country cidr currentPassword cron cronEnd cronId cronStart cronTZ date
  definition.layout.id domain domainOrIp email end endpoint event_code event_date event_element event_path events.app_code
  events.event_code events.event_date events.event_element events.event_path events.id events.pdid exportId expires
  expiresAt fileDelimiter filePath fileSheet folder format.currency from ftpFolder ftpHost ftpPass ftpPort ftpUser grant
  group groups identities IdentityToken id instances invitation ip isPublic items keyColumn link name newPassword notificationEmails origin os
  params password pdid policies powerUser Preference ranges.cell ranges.from ranges.preset ranges.to reason saveAs search
  sentAt serviceName signature start text timeZone to token type userName what who with withCount after zip zone
  sharedWith.users _id cronDesc createdAt nextScheduleId lastComletedScheduleId paused lastRun nextRunAt mayTakeOver
  instruction.name instruction.url instruction.rdl instruction.cells instruction.offset`.split(/\s+/)

/** Parts below these contain no contact data: how things look, and who receives them. */
const foreign =
  /^(body|query)\.((instruction\.)?notifications?|instruction\.(download|notification)|(definition\.layout\.)?chart\.(options|title|gaugeColors|defaultId|portico\.(text|narrows|display|formats\.\*)|calculatedColumns\.fix|filter2?\.predefined))(\.|$)/

/** Other parts of single calls with any content: they concern other lists than the contacts, or events. */
const ofCalls: Record<string, readonly string[]> = {
  explain: ['query.query', 'query.query.*', 'query.body'],
  recordEvents: ['body.details', 'body.details.*'],
  putPhoto: ['body'],
  putFile: ['body'],
  ...Object.fromEntries(
    (['listImports', 'listDeletes', 'listExports', 'listRemoteAccesses'] as const).map((call) => [
      call,
      ['query.find', 'query.sort', 'query.select'],
    ]),
  ),
  listDashboards: ['query.find'],
  listDownloads: ['query.sort'],
  addOffer: ['body.values.*'],
  editOffer: ['body.changes.*.from', 'body.changes.*.to'],
  mergeOffer: ['body.other', 'body.fields.*.kept', 'body.fields.*.other', 'body.fields.*.wins'],
  deleteOffers: ['body.filter.*'],
  signInWithPasskey: ['id', 'clientDataJSON', 'authenticatorData', 'signature', 'userHandle'].map(
    (part) => `body.passkey.${part}`,
  ),
  addPasskey: ['id', 'clientDataJSON', 'attestationObject', 'transports'].map((part) => `body.passkey.${part}`),
  tryRemoteAccess: ['body.query.*', 'body.draft.domainOrIp', 'body.draft.expiresAt'],
}

const calls = Object.entries(api) as [keyof typeof api, Route][]

test('every part of a call that may name fields of contacts is listed, or known to name none', () => {
  const unknown = calls.flatMap(([call, { query, body }]) => {
    const paths = [...(query ? pathsOf(query, 'query') : []), ...(body ? pathsOf(body, 'body') : [])]
    return paths
      .filter((path) => {
        const [option = '', ...keys] = path.split('.')
        const key = keys.join('.')
        const isListed = Object.keys(fieldNameParts[call]?.[option as 'body' | 'query'] ?? {}).includes(key)
        return !isListed && !others.includes(key) && !foreign.test(path) && !ofCalls[call]?.includes(path)
      })
      .map((path) => `${call} ${path}`)
  })
  expect(unknown).toEqual([])
})

test('every listed part exists in its call', () => {
  const asJudged = ['previewCell body.definition', 'tryRemoteAccess body.filter', 'tryRemoteAccess body.publicColumns']
  const unknown = calls.flatMap(([call, { query, body }]) => {
    const paths = [...(query ? pathsOf(query, 'query') : []), ...(body ? pathsOf(body, 'body') : [])]
    return (['query', 'body'] as const)
      .flatMap((option) => Object.keys(fieldNameParts[call]?.[option] ?? {}).map((key) => `${option}.${key}`))
      .filter((path) => !paths.includes(path) && !asJudged.some((judged) => `${call} ${path}`.startsWith(judged)))
      .map((path) => `${call} ${path}`)
  })
  expect(unknown).toEqual([])
})
