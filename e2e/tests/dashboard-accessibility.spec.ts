import type { Offer } from '@portico/contract/contacts'
import type { Dashboard } from '@portico/contract/dashboards'
import type { Locator, Page } from '@playwright/test'
import { expectAccessible, expectAccessibleInBothSchemes } from '../accessibility.ts'
import { apiOf, type Client } from '../api.ts'
import { byCity, cellOf, chooseBar, citiesAndMembers, colors, makeDashboard, members } from '../dashboards.ts'
import { recordEvents } from '../database.ts'
import { powerAdmin } from '../iam-area.ts'
import { type Account, expect, makeAccount, signIn, test } from '../portal.ts'
import { choose, dialogOf } from '../screens.ts'

let account: Account
let api: Client

test.beforeAll(async () => {
  account = await makeAccount('Glass Harbor')
  api = await apiOf(powerAdmin, account)
  // The date picker shows the last 30 days at first.
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  const dated = members.replaceAll(/\d{4}-\d\d-\d\d/g, yesterday)
  const { databaseName } = await api.importFile('Members', dated, { typeCasting: true })
  const found = `/contact-service/v1/offers?find=${JSON.stringify([{ $match: { Name: 'Bruno' } }])}`
  const [bruno] = await api.get<Offer[]>(found)
  await recordEvents(databaseName, bruno?._id ?? '', [
    { code: 'page_view', date: '2026-03-01T10:00:00Z', browser: 'Firefox' },
  ])
})

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

const kinds =
  'Bar chart,Line chart,Area chart,Combo chart,Pie chart,Donut chart,Geo chart,Table,Paginated table,Calculated table,Pivot table,KPI,Dropdown,Date picker,Text'.split(
    ',',
  )

/** Checks what is open, by the name of the step. */
type Check = (what: string) => Promise<void>

const close = (dialog: Locator): Promise<void> => dialog.getByRole('button', { name: 'Cancel' }).click()

async function checkViews(page: Page, check: Check): Promise<void> {
  for (const { title } of charts) await cellOf(page, String(title)).scrollIntoViewIfNeeded()
  await expect(cellOf(page, 'Share').getByText('100%')).toBeVisible()
  await expect(cellOf(page, 'Gone').getByRole('button', { name: 'Try again' })).toBeVisible()
  await check('view')
  await page.getByRole('combobox', { name: 'Dashboard' }).click()
  await check('picker')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'More about this dashboard' }).click()
  await expect(page.getByRole('menuitem', { name: 'Versions' })).toBeVisible()
  await check('menu of the dashboard')
  await page.getByRole('menuitem', { name: 'Versions' }).click()
  await expect(dialogOf(page, 'Versions').getByText('Version 1')).toBeVisible()
  await check('versions')
  await page.keyboard.press('Escape')
  const menu = cellOf(page, 'Cities').getByRole('button', { name: 'Menu of Cities' })
  await menu.click()
  await expect(page.getByRole('menuitem', { name: 'Export' })).toBeVisible()
  await check('menu of a cell')
  await page.getByRole('menuitem', { name: 'Export' }).click()
  await check('export')
  await close(dialogOf(page, 'Export These Results'))
  await chooseBar(page, 1)
  await expect(page.getByRole('region', { name: 'Active filters' })).toContainText('Denver')
  await check('narrowed')
  await cellOf(page, 'Members').getByRole('button', { name: 'Menu of Members' }).click()
  await page.getByRole('menuitem', { name: 'Save as a filter' }).click()
  await check('save as a filter')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await cellOf(page, 'Cities').getByRole('button', { name: 'Show as table' }).click()
  await cellOf(page, 'Which city').getByRole('button', { name: 'Which city: All' }).click()
  await expect(page.getByRole('checkbox', { name: /Lisbon/ })).toBeVisible()
  await check('chart as table, and dropdown')
  await page.keyboard.press('Escape')
  await cellOf(page, 'When').getByRole('button').first().click()
  await expect(page.getByRole('button', { name: 'Apply' })).toBeVisible()
  await check('date picker')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Reset' }).click()
  await cellOf(page, 'City list').getByRole('button', { name: 'Denver' }).click()
  const events = dialogOf(page, 'Events')
  await events
    .getByRole('button', { name: /^Expand/ })
    .first()
    .click()
  await check('events')
  await events.getByRole('button', { name: 'Close', exact: true }).last().click()
  await page.getByRole('button', { name: 'More about this dashboard' }).click()
  await page.getByRole('menuitem', { name: 'Full screen' }).click()
  await expect(page.getByRole('combobox', { name: 'Refresh' })).toBeVisible()
  await check('full screen')
  await page.getByRole('button', { name: 'Exit full screen' }).click()
  await page.evaluate(() => (window.print = () => document.body.setAttribute('data-printed', '')))
  await page.getByRole('button', { name: 'More about this dashboard' }).click()
  await page.getByRole('menuitem', { name: 'Print' }).click()
  await expect(page.locator('body')).toHaveAttribute('data-printed', '')
  // Paper is light.
  await test.step('print', () => expectAccessible(page))
  await page.getByRole('button', { name: 'Back to the dashboard' }).click()
}

async function checkSaving(page: Page, check: Check, saved: Dashboard): Promise<void> {
  await page.getByRole('button', { name: 'New', exact: true }).click()
  const made = dialogOf(page, 'New Dashboard')
  await expect(made.getByRole('radio', { name: 'Places' })).toBeEnabled()
  for (const list of ['parent accounts', 'accounts', 'users']) {
    await choose(page, made.getByRole('combobox', { name: `Share with ${list}` }), `Custom ${list}`)
  }
  await made.getByRole('combobox', { name: 'Emails' }).fill('no-address')
  await made.getByRole('button', { name: 'Create' }).click()
  await expect(made.getByText('Value is required!').first()).toBeVisible()
  await check('new, with problems')
  await made.getByRole('combobox', { name: 'Tags' }).click()
  await check('tags')
  await page.keyboard.press('Escape')
  await close(made)
  await page.getByRole('button', { name: 'Clone' }).click()
  await check('clone')
  await close(dialogOf(page, 'Clone Dashboard'))
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await check('delete')
  await close(dialogOf(page, 'Delete Dashboard'))
  const { name, tags, sharedWith, definition } = saved
  await api.put(`/contact-service/v1/dashboards/${saved._id}`, { name: `${name} again`, tags, sharedWith, definition })
  await page.getByRole('button', { name: 'Update' }).click()
  const update = dialogOf(page, 'Update Dashboard')
  await update.getByRole('button', { name: 'Save' }).click()
  await expect(update.getByRole('button', { name: 'Save over it' })).toBeVisible()
  await check('update, refused')
  await close(update)
}

async function checkEditing(page: Page, check: Check): Promise<void> {
  await page.getByRole('switch', { name: 'Edit' }).press('Space')
  await expect(cellOf(page, 'Edit Sums').getByRole('cell', { name: '4' }).first()).toBeVisible()
  await check('edit mode')
  await page.getByRole('button', { name: 'Add a cell after Members' }).click()
  const adding = dialogOf(page, 'Add a Cell')
  await expect(adding.getByRole('region', { name: 'Suggestions' }).getByRole('button').first()).toBeVisible()
  await check('suggestions and kinds')
  await adding.getByRole('button', { name: 'Column chart', exact: true }).click()
  const configuration = dialogOf(page, 'Chart Configuration')
  await configuration.getByRole('button', { name: 'Save' }).click()
  await expect(configuration.getByText('Filter should have GroupBy!').first()).toBeVisible()
  await check('Column chart, with problems')
  await checkFilter(page, check, 'chart')
  for (const kind of kinds) {
    await choose(page, configuration.getByRole('combobox', { name: 'Type', exact: true }), kind)
    await check(kind)
    if (kind === 'Paginated table') await checkFilter(page, check, 'table')
    if (kind !== 'KPI') continue
    await choose(page, configuration.getByRole('combobox', { name: 'Template' }), 'ratio-with-master-date-range')
    await check('KPI with a divisor')
  }
  await close(configuration)
}

/** Opens the filter of the cell that is configured, and its tabs one after the other. */
async function checkFilter(page: Page, check: Check, name: string): Promise<void> {
  await dialogOf(page, 'Chart Configuration').getByRole('button', { name: 'Edit filter' }).click()
  const builder = page.getByRole('region', { name: 'Filter builder' })
  await expect(builder.getByRole('tab').first()).toBeVisible()
  for (const tab of await builder.getByRole('tab').all()) {
    await tab.click()
    await check(`filter of a ${name}: ${await tab.innerText()}`)
  }
  await close(builder)
}

async function checkOptions(page: Page, check: Check): Promise<void> {
  await page.getByRole('button', { name: 'Configure Cities' }).click()
  const configuration = dialogOf(page, 'Chart Configuration')
  const options = dialogOf(page, 'Chart Options')
  for (const [kind, own] of [
    ['Bar chart', null],
    ['Donut chart', 'Donut'],
    ['Geo chart', 'Geo'],
  ] as const) {
    await choose(page, configuration.getByRole('combobox', { name: 'Type', exact: true }), kind)
    await configuration.getByRole('button', { name: 'Edit options' }).click()
    await expect(options.getByRole('tab').first()).toBeVisible()
    for (const tab of await options.getByRole('tab', { ...(own && { name: own }) }).all()) {
      await tab.click()
      await check(`options of a ${kind}: ${await tab.innerText()}`)
    }
    await close(options)
  }
  await configuration.getByRole('combobox', { name: 'Type', exact: true }).click()
  await page.getByRole('option', { name: 'KPI', exact: true }).click()
  await expect(page.getByText('This change will reset your filter.')).toBeVisible()
  await check('change of the type')
  await page.getByRole('button', { name: 'No', exact: true }).click()
  await close(configuration)
}

async function checkColumns(page: Page, check: Check): Promise<void> {
  await page.getByRole('button', { name: 'Configure Sums' }).click()
  const configuration = dialogOf(page, 'Chart Configuration')
  await configuration.getByRole('button', { name: 'Edit calculated columns' }).click()
  const dialog = dialogOf(page, 'Calculated Columns')
  await choose(page, dialog.getByRole('combobox', { name: 'Fixed text' }), 'Text before')
  await choose(page, dialog.getByRole('combobox', { name: 'Position' }), 'Before a column')
  await dialog.getByRole('button', { name: 'Add calculated column' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('Value is required!').first()).toBeVisible()
  await check('calculated columns, with problems')
  await dialog.getByRole('button', { name: 'Remove Column 2' }).click()
  await expect(page.getByText('Are you sure?')).toBeVisible()
  await check('removal of a calculated column')
  await page.getByRole('button', { name: 'No', exact: true }).click()
  await close(dialog)
  await close(configuration)
}

// Elements that fade in would be measured half-way.
test.use({ contextOptions: { reducedMotion: 'reduce' } })

test('every dialog and state of dashboards is accessible', async ({ page, trouble }) => {
  test.setTimeout(480_000)
  // The cell whose field is gone.
  trouble.allow(/^422 POST \/api\/contact-service\/v1\/dashboards\//)
  const saved = await makeDashboard(api, account, 'Everything', layout)
  await makeDashboard(api, account, 'Another')
  trouble.expect(`409 PUT /api/contact-service/v1/dashboards/${saved._id}`)
  const check: Check = (what) =>
    test.step(what, async () => {
      // Behind a dialog the page is as it was checked before.
      const isDialog = (await page.locator('[aria-modal=true]').count()) > 0
      await expectAccessibleInBothSchemes(page, isDialog ? '[data-mantine-shared-portal-node]' : undefined)
    })
  await signIn(page, powerAdmin, account, `/contact-service/dashboards?dashboard=${saved._id}`)
  await checkViews(page, check)
  await checkSaving(page, check, saved)
  await checkEditing(page, check)
  await checkOptions(page, check)
  await checkColumns(page, check)
  await page.getByRole('button', { name: 'Delete Members' }).click()
  await page.getByRole('link', { name: 'Imports' }).click()
  await expect(page.getByText('Do you really want to leave?')).toBeVisible()
  await check('unsaved changes')
})
