import type { Offer } from '@portico/contract/contacts'
import type { Dashboard } from '@portico/contract/dashboards'
import type { Locator, Page } from '@playwright/test'
import { expectAccessible, expectContrast } from './accessibility.ts'
import { apiOf, type Client } from './api.ts'
import { byCity, cellOf, citiesAndMembers, colors, makeDashboard, members } from './dashboards.ts'
import { recordEvents } from './database.ts'
import { powerAdmin } from './iam-area.ts'
import { type Account, expect, makeAccount, signIn, test, type Trouble } from './portal.ts'

// A dashboard with a cell of every kind, for the tests of its accessibility. Each takes minutes, so they are in
// separate files.

/** An account with its client, whose contacts fill every cell. */
export async function accountOfEveryCell(name: string): Promise<{ account: Account; api: Client }> {
  const account = await makeAccount(name)
  const api = await apiOf(powerAdmin, account)
  // The date picker initially shows the last 30 days.
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  const dated = members.replaceAll(/\d{4}-\d\d-\d\d/g, yesterday)
  const { databaseName } = await api.importFile('Members', dated, { typeCasting: true })
  const found = `/contact-service/v1/offers?find=${JSON.stringify([{ $match: { Name: 'Bruno' } }])}`
  const [bruno] = await api.get<Offer[]>(found)
  await recordEvents(databaseName, bruno?._id ?? '', [
    { code: 'page_view', date: '2026-03-01T10:00:00Z', browser: 'Firefox' },
  ])
  return { account, api }
}

const both = { standard: [{ $group: { _id: { City: '$City', Name: '$Name' }, count: { $count: {} } } }] }
const calculatedColumns = [{ name: 'Twice', expression: '{{count}} * 2', fix: 'none', position: 'e' }]
const charts: Record<string, unknown>[] = [
  { type: 'Table', title: 'City list', filter: byCity },
  { type: 'PaginaTable', title: 'People', filter: { standard: [], columns: ['Name', 'City'] } },
  { type: 'CalculatedTable', title: 'Sums', filter: byCity, calculatedColumns },
  { type: 'Pivot', title: 'Crossed', filter: both },
  { type: 'Dropdown', title: 'Which city', filter: byCity, multipleSelect: true },
  {
    type: 'DatePicker',
    title: 'When',
    datePickerType: 'month',
    defaultId: '29',
    maxRange: 62,
    portico: { dateField: 'Joined' },
  },
  {
    type: 'KPI',
    title: 'Share',
    filter: { standard: [] },
    filter2: { standard: [] },
    options: { colors, template: 'ratio-with-master-date-range' },
  },
  {
    type: 'KPI',
    title: 'Own days',
    filter: { standard: [] },
    options: { colors, template: 'internal-date-range' },
    portico: { dateField: 'Joined' },
  },
  {
    type: 'Text',
    title: 'Notes',
    portico: { text: '# Head\n\nA [link](https://example.com), `code`\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |' },
  },
  { type: 'Pie', title: 'Nothing here', filter: { standard: [{ $match: { City: 'Nowhere' } }, ...byCity.standard] } },
  { type: 'Line', title: 'Gone', filter: { standard: [{ $group: { _id: '$Gone', count: { $count: {} } } }] } },
]
const layout = [
  citiesAndMembers,
  ...charts.map((chart, at) => [{ id: `cell${at}`, cols: 6, chart: { options: { colors }, ...chart } }]),
]

/** Checks the open page or dialog; receives the name of the step. */
export type Check = (what: string) => Promise<void>

/**
 * Declares a test for each color scheme. One walk per scheme takes a third of the time of a walk that changes the
 * scheme at each step, because all charts are redrawn.
 */
export function testInEachScheme(title: string, walk: (context: WalkContext) => Promise<void>): void {
  for (const scheme of ['light', 'dark'] as const)
    test.describe(scheme, () => {
      // Elements that fade in would be measured halfway.
      test.use({ colorScheme: scheme, contextOptions: { reducedMotion: 'reduce' } })
      test(title, async ({ page, trouble }) => {
        test.slow()
        const expectGood = scheme === 'light' ? expectAccessible : expectContrast
        const check: Check = (what) =>
          test.step(what, async () => {
            // Behind a dialog, the page is as it was when last checked.
            const isDialog = (await page.locator('[aria-modal=true]').count()) > 0
            await expectGood(page, isDialog ? '[data-mantine-shared-portal-node]' : undefined)
          })
        await walk({ page, trouble, check })
      })
    })
}

type WalkContext = { page: Page; trouble: Trouble; check: Check }

/** Creates a dashboard with a cell of every kind, and another one, and opens the first. */
export async function openEveryCell(page: Page, trouble: Trouble, account: Account, api: Client): Promise<Dashboard> {
  // The cell whose field was deleted.
  trouble.allow(/^422 POST \/api\/contact-service\/v1\/dashboards\//)
  const saved = await makeDashboard(api, account, 'Everything', layout)
  await makeDashboard(api, account, 'Another')
  await signIn(page, powerAdmin, account, `/contact-service/dashboards?dashboard=${saved._id}`)
  for (const { title } of charts) await cellOf(page, String(title)).scrollIntoViewIfNeeded()
  await expect(cellOf(page, 'Share').getByText('100%')).toBeVisible()
  await expect(cellOf(page, 'Gone').getByRole('button', { name: 'Try again' })).toBeVisible()
  return saved
}

export async function startEditing(page: Page): Promise<void> {
  await page.getByRole('switch', { name: 'Edit' }).press('Space')
  await expect(cellOf(page, 'Edit Sums').getByRole('cell', { name: '4' }).first()).toBeVisible()
}

export const close = (dialog: Locator): Promise<void> => dialog.getByRole('button', { name: 'Cancel' }).click()
