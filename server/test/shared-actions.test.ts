import { api } from '@portico/contract/api'
import { innerOf } from '@portico/contract/read-text'
import type { Route } from '@portico/contract/route'
import { expect, test } from 'vitest'
import { z } from 'zod'

// Calls that share an action share the policies that allow it, with their conditions. A call that lacks a part which another one has
// cannot be judged by a condition on it: a condition that excludes values would let it pass, one that asks for them would refuse it.

type Name = keyof typeof api

const calls = Object.entries(api) as [Name, Route][]

/** The names of a part's properties; of each option of a union. */
function namesIn(schema: z.ZodType | undefined): string[] {
  if (!schema) return []
  const inner = innerOf(schema)
  if (inner) return namesIn(inner)
  if (schema instanceof z.ZodPipe) return namesIn(schema.out as z.ZodType)
  if (schema instanceof z.ZodArray) return namesIn(schema.element as z.ZodType)
  if (schema instanceof z.ZodUnion) return (schema.options as z.ZodType[]).flatMap(namesIn)
  return schema instanceof z.ZodObject ? Object.keys(schema.shape as object) : []
}

/** The keys of conditions that may be about a call. Reading calls name what they read by an id or show a list of it. */
function keysOf({ method, path, query, body }: Route): string[] {
  const params = method === 'GET' ? [] : [...path.matchAll(/:\w+/g)].map((_match, at) => `param::${at}`)
  return [...params, ...namesIn(query).map((name) => `query::${name}`), ...namesIn(body).map((name) => `body::${name}`)]
}

function actionOf({ action, access }: Route): string | null {
  return action ?? (access.includes('::') ? access : null)
}

/** Calls that conditions judge by something else than the request as it was sent. */
const isJudgedOtherwise = ({ isUnconditional, isJudgedAsStored, tries }: Route): boolean =>
  isUnconditional === true || isJudgedAsStored === true || tries !== undefined

/** The calls judged as they are sent that lack a part of another one with the same action. */
function lackingParts(): Name[] {
  const judgedAsSent = calls.filter(([, route]) => !isJudgedOtherwise(route))
  const byAction = Map.groupBy(judgedAsSent, ([, route]) => actionOf(route))
  byAction.delete(null)
  return [...byAction.values()].flatMap((sharing) => {
    const all = new Set(sharing.flatMap(([, route]) => keysOf(route)))
    return sharing.flatMap(([name, route]) => (new Set(keysOf(route)).size < all.size ? [name] : []))
  })
}

/** Calls that lack a part, by the reason why conditions on it need not judge them. */
const harmless: Record<string, Name[]> = {
  'shows one of the items of a list, or what belongs to it; the list shows them without its optional parts, too': [
    'getDownload',
    'openDownload',
    'getExport',
    'listDeliveries',
    'getCron',
    'getSchedule',
    'getImport',
    'getContactLine',
    'getImportUndo',
    'getImportReview',
    'getDedupKeys',
    'getSetAsideReport',
    'getRemoteAccess',
    'getRemoteAccessUsage',
    'getOffer',
    'listContactEvents',
    'listContactChanges',
    'getDashboard',
    'listDashboardVersions',
    'getDashboardVersion',
    'getIdentity',
    'getGroup',
    'getPolicy',
    'getSavedFilter',
    'listFilterVersions',
    'getFilterVersion',
    'getSegment',
    'countSegment',
    'compareSegments',
    'explainMembership',
  ],
  'shows names and settings, no values of contacts': [
    'listFields',
    'listEventFields',
    'listOfferedEventFields',
    'getWordIndex',
    'getFilterSettings',
    'getExportSettings',
    'getImportDefaults',
    'getContactAccount',
    'getSamplePage',
    'listIndexes',
    'listIndexDetails',
    'getFieldIndex',
    'rateColumns',
  ],
  'has other optional parts than the other lists of its action, of which none lets it show more': [
    'listDashboards',
    'listDeletes',
    'listIdentities',
    'listOffers',
    'suggestOffers',
    'listRemoteAccesses',
    'listSavedFilters',
    'listSegments',
    'listSchedules',
    'getCalendar',
    'listAudit',
    'exportAudit',
  ],
  'reads no contact: it asks for the place of an address that its caller has': ['geocode'],
  'reads a cell of a dashboard that its action shows, by the right to its contacts': ['answerCell'],
  'is a mark for its caller alone': ['setFavouriteDashboard', 'setFavouriteSegment'],
  'has all parts by which it chooses what it changes; the others are of calls that change something else': [
    'createContactAccount',
    'updateContactAccount',
    'setImportDefaults',
    'setFilterSettings',
    'setExportSettings',
    'updateField',
    'changeFieldType',
    'editOffer',
    'recordEvents',
    'createIndex',
    'createCron',
    'updateCron',
  ],
  'shows what a change would do, and changes nothing': ['previewFieldType', 'previewImport'],
  'is the import itself, under one of two names': ['createImport', 'createImportReview'],
  'ends an import that has changed nothing': ['endImportReview'],
  'is the rule of all imports that follow, with which their own columns are judged': ['computeDedupKeys'],
  'takes back a delete that the same right allows': ['restoreField'],
  'is judged by its handler as the change of a contact that it makes (`undoChange`)': ['undoContactChange'],
  'is judged by its handler as the change and the delete that it makes': ['mergeOffer'],
  'makes a power user, whom only those may make who hold every right without conditions': ['addPowerUser'],
  'chooses all that its caller is let to give': ['createIdentity'],
  'has one value only in the part that the other one lacks, and cancels': ['cancelExport'],
  'sends a file again by the request that it was made by, judged as its maker': ['resendDelivery'],
}

test('each call that lacks a part of another one with its action is judged by what it acts on, or harmless', () => {
  expect(
    lackingParts().toSorted(),
    'Conditions on parts that this call lacks cannot judge it: use `isJudgedAsStored` or `isUnconditional` of the contract, or list it here with a reason.',
  ).toEqual(Object.values(harmless).flat().toSorted())
})
