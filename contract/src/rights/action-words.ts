import { actionCatalogue } from '../policies.ts'
import { actionNames, type ActionText, areas, type RightArea } from './action-names.ts'
import { heldActionFits } from './held-action.ts'

/** An action that a call needs, in plain words. `action` is its raw form. */
export type KnownAction = ActionText & { action: string; area: RightArea }

/** All actions that calls need, by area. */
export const knownActions: readonly KnownAction[] = areas.flatMap((area) =>
  Object.entries<ActionText>(actionNames[area]).map(([action, text]) => ({ ...text, action, area })),
)

const known: ReadonlyMap<string, KnownAction> = new Map(knownActions.map((each) => [each.action.toLowerCase(), each]))

/** The known action of a raw form in any letter case; null for one with `*`, or that no call needs. */
export const findAction = (action: string): KnownAction | null => known.get(action.toLowerCase()) ?? null

/** The known actions that a held one covers, such as those of a whole service for `bi::*::*`. */
export const coveredBy = (held: string): KnownAction[] =>
  knownActions.filter(({ action }) => heldActionFits(held, action.toLowerCase().split('::')))

/** Whether policies can name an action by itself. The others are covered by `*` only, such as `*::*::get`. */
export const canBeNamed = ({ action }: KnownAction): boolean => {
  const [service = '', resource = ''] = action.split('::')
  const resources: readonly string[] = Object.entries(actionCatalogue).find(([name]) => name === service)?.[1] ?? []
  return resources.includes(resource)
}

const verbs: Readonly<Record<string, string>> = {
  get: 'View',
  post: 'Create',
  put: 'Change',
  delete: 'Delete',
  '*': 'Do everything with',
}

const services: Readonly<Record<string, string>> = {
  bi: 'dashboards and reports',
  'contact-service': 'contact data',
  scheduler: 'the scheduler',
  identity: 'Identity & Access',
  account: 'the account',
}

const resources: Readonly<Record<string, string>> = {
  offers: 'contacts',
  rdls: 'saved filters',
  remoteaccess: 'remote accesses',
  schedules: 'runs of crons',
}

const listedAtMost = 6

/** A held action in plain words; one with `*` by what it covers. Never fails: other texts are shown as they are. */
export function actionInWords(action: string): ActionText {
  const found = findAction(action)
  if (found) return found
  const [service = '', resource = '', method = ''] = action.toLowerCase().split('::')
  const verb = verbs[method]
  if (verb === undefined) return { name: action, sentence: 'This is no action of the portal.' }
  const covered = coveredBy(action)
  const names = covered.map(({ name }) => name).join(', ')
  const sentence =
    covered.length === 0
      ? 'Nothing in the portal needs this action now.'
      : covered.length <= listedAtMost
        ? `Covers: ${names}.`
        : `Covers ${covered.length} actions, and those that later versions add.`
  if (service === '*' && resource === '*')
    return { name: method === '*' ? 'Do everything' : `${verb} everything`, sentence }
  return { name: `${verb} ${scopeOf(service, resource)}`, sentence }
}

function scopeOf(service: string, resource: string): string {
  const area = services[service] ?? service
  if (resource !== '*') return resources[resource] ?? resource
  return `all of ${area}`
}
