import type { dashboardTags } from '@portico/contract/dashboards'
import { dashboardLimits } from '@portico/contract/dashboards/dashboard-limits'
import { type DashboardCell, type Definition, newDefinition } from '@portico/contract/dashboards/definition'
import type { AccountData } from '../adding/account-data.ts'
import { activityRows, audienceRows, campaignRows, placesRows, type PlannedRow } from './template-rows.ts'

export const startNames = ['empty', 'audience', 'activity', 'places', 'campaign'] as const
/** How a new dashboard starts: empty, or from a template. */
export type StartName = (typeof startNames)[number]

type Start = {
  title: string
  sentence: string
  tags: (typeof dashboardTags)[number][]
  rowsOf: (data: AccountData) => PlannedRow[]
  /** Why the account cannot use the template; null if it can. */
  lacks: (data: AccountData) => string | null
}

const noContacts = 'Import contacts first.'
const needsEvents = ({ hasContacts, events }: AccountData): string | null =>
  events ? null : hasContacts ? 'No visits or clicks are recorded yet.' : noContacts

export const starts: Record<StartName, Start> = {
  empty: {
    title: 'Empty dashboard',
    sentence: 'Start from scratch and add cells one by one.',
    tags: [],
    rowsOf: () => [],
    lacks: () => null,
  },
  audience: {
    title: 'Audience overview',
    sentence: 'Who your contacts are, how they divide up and what they are worth.',
    tags: ['channel', 'score'],
    rowsOf: audienceRows,
    lacks: ({ hasContacts }) => (hasContacts ? null : noContacts),
  },
  activity: {
    title: 'Website activity',
    sentence: 'What contacts open, visit and click, and at which time of day.',
    tags: ['event', 'page'],
    rowsOf: activityRows,
    lacks: needsEvents,
  },
  places: {
    title: 'Places',
    sentence: 'Where your contacts live, from the map down to the city.',
    tags: ['goal'],
    rowsOf: placesRows,
    lacks: ({ hasContacts, country, state, city }) =>
      (country ?? state ?? city) ? null : hasContacts ? 'No field for a country, state or city.' : noContacts,
  },
  campaign: {
    title: 'Campaign results',
    sentence: 'Who responds to your mailings and personal pages, and who to follow up with.',
    tags: ['outbound', 'goal'],
    rowsOf: campaignRows,
    lacks: needsEvents,
  },
}

const { most, least } = dashboardLimits.cellWidth

/** A row's cells without the missing ones; the others share its width. */
function filled(row: PlannedRow): DashboardCell[] {
  const cells = row.filter((cell) => cell !== null && cell !== false && cell !== undefined)
  const share = Math.max(least, Math.floor(most / Math.max(1, cells.length)))
  return cells.map(({ cols, chart }) => ({ id: '', cols: cells.length < row.length ? share : cols, chart }))
}

/** The definition that a new dashboard starts with, using fields that the account has. */
export function definitionOf(start: StartName, data: AccountData): Definition {
  const layout = starts[start]
    .rowsOf(data)
    .map(filled)
    .filter((cells) => cells.length > 0)
  return layout.length > 0 ? { ...newDefinition(), layout } : newDefinition()
}
