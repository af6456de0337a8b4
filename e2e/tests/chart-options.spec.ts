import type { Dashboard } from '@portico/contract/dashboards'
import type { Locator, Page } from '@playwright/test'
import { expectAccessible } from '../accessibility.ts'
import { apiOf, type Client } from '../api.ts'
import { expectPresentable } from '../iam-area.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { choose, dialogOf, snackbar } from '../screens.ts'

const file = `Name,City,Country
Ada,Denver,US
Bruno,Denver,US
Carmen,Boulder,US
Dmitri,Lisbon,PT
`

let account: Account
let olive: Person
let api: Client

test.beforeAll(async () => {
  account = await makeAccount('Silver Plume')
  olive = await makePerson('Olive', { accounts: [account] })
  api = await apiOf(olive, account)
  await api.importFile('Members', file, { typeCasting: true })
})

/** Opens a dashboard with one chart, and its configuration. */
async function openConfiguration(page: Page, chart: Record<string, unknown>): Promise<Locator> {
  const { _id: id } = await api.post<Dashboard>('/contact-service/v1/dashboards', {
    name: `${String(chart['title'])} of members`,
    tags: ['event'],
    sharedWith: { paids: 'all', aids: [account.id], users: 'all' },
    definition: JSON.stringify({ layout: [[{ id: 'only', cols: 12, chart }]] }),
  })
  await signIn(page, olive, undefined, `/contact-service/dashboards?dashboard=${id}`)
  await page.getByRole('switch', { name: 'Edit' }).press('Space')
  await page.getByRole('button', { name: `Configure ${String(chart['title'])}` }).click()
  const configuration = dialogOf(page, 'Chart Configuration')
  await expect(configuration.getByRole('textbox', { name: 'Options' })).toBeVisible()
  await expect(configuration.getByRole('region', { name: 'Preview' }).locator('svg')).toBeVisible()
  return configuration
}

const grouped = (field: string) => ({
  standard: [{ $group: { _id: { [field]: `$${field}` }, count: { $count: {} } } }],
})
const colors = ['#3560c4']

test('tabs edit the options: an invalid one is reported and cannot be saved, valid ones change the chart', async ({
  page,
}) => {
  const options = { colors, height: 250, animation: { startup: true } }
  const chart = { type: 'Column', title: 'Cities', filter: grouped('City'), options }
  const configuration = await openConfiguration(page, chart)
  await expectPresentable(page)
  await configuration.getByRole('button', { name: 'Edit options' }).click()
  const dialog = dialogOf(page, 'Chart Options')
  await expect(dialog.getByRole('tab')).toHaveText(['General', 'Chart Area', 'H-Axis', 'V-Axis', 'Legend'])
  await expect(dialog.getByRole('application', { name: 'Cities: chart of 3 groups' })).toBeVisible()

  await dialog.getByRole('textbox', { name: 'Height' }).fill('320')
  await dialog.getByRole('tab', { name: 'V-Axis' }).click()
  await dialog.getByRole('textbox', { name: 'Title' }).fill('How many')
  await expect(dialog.locator('svg').getByText('How many')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Gridlines min spacing' }).fill('-5')
  await expect(dialog.getByText('Enter a number of at least 0.')).toBeVisible()
  await expectPresentable(page)
  await dialog.getByRole('tab', { name: 'Legend' }).click()
  await expect(dialog.getByRole('tab', { name: /^V-Axis.*has errors/ })).toBeVisible()
  const save = dialog.getByRole('button', { name: 'Save' })
  await expect(save).toBeDisabled()
  await save.press('Enter')
  const spacing = dialog.getByRole('textbox', { name: 'Gridlines min spacing' })
  await expect(spacing).toBeFocused()
  await spacing.fill('')
  await save.click()
  await expect(dialog).toBeHidden()

  const json = configuration.getByRole('textbox', { name: 'Options' })
  await expect(json).toContainText('"height": 320')
  await expect(json).toContainText('"title": "How many"')
  await expect(json).not.toContainText('minSpacing')
  // Waits for each response: the server logs an aborted one as an error.
  await Promise.all([page.waitForResponse(/\/previews$/), configuration.getByRole('button', { name: 'Save' }).click()])
  await page.getByRole('button', { name: 'Save changes' }).click()
  await dialogOf(page, 'Update Dashboard').getByRole('button', { name: 'Save' }).click()
  await expect(snackbar(page, "'Cities of members' was successfully saved.")).toBeVisible()
  await Promise.all([page.waitForResponse(/\/cells\//), page.getByRole('switch', { name: 'Edit' }).press('Space')])
  await expect(
    page.getByRole('region', { name: 'Cities', exact: true }).locator('svg').getByText('How many'),
  ).toBeVisible()
  const [{ definition }] = await api.get<[Dashboard]>('/contact-service/v1/dashboards')
  expect(JSON.parse(definition)).toMatchObject({
    layout: [[{ chart: { options: { ...options, height: 320, vAxis: { title: 'How many' } } } }]],
  })
})

/** Accepts the first suggestion. The editor ignores keys for a moment after it appears. */
async function acceptSuggestion(page: Page): Promise<void> {
  await page.clock.fastForward(200)
  await page.keyboard.press('Enter')
}

test('the JSON editor suggests names and values and reports errors with their line; Tab leaves it', async ({
  page,
}) => {
  await page.clock.install()
  const chart = { type: 'Line', title: 'Lines', filter: grouped('City'), options: { colors } }
  const configuration = await openConfiguration(page, chart)
  const json = configuration.getByRole('textbox', { name: 'Options' })
  await json.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('"')
  await expect(configuration.getByText('Line 1: Value is invalid!')).toBeVisible()
  await expect(json).toHaveAttribute('aria-invalid', 'true')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('{ "curve')
  await expect(page.getByRole('option', { name: /curveType/ })).toBeVisible()
  await expectAccessible(page)
  // Escape closes only the suggestions.
  await page.keyboard.press('Escape')
  await expect(page.getByRole('listbox')).toBeHidden()
  await expect(configuration).toBeVisible()
  await page.keyboard.press('Control+Space')
  await expect(page.getByRole('option', { name: /curveType/ })).toBeVisible()
  await acceptSuggestion(page)
  await expect(page.getByRole('option')).toHaveText(['none', 'function'])
  await page.keyboard.type('f')
  await expect(page.getByRole('option')).toHaveText(['function'])
  await acceptSuggestion(page)
  await expect(json).toHaveText('{ "curveType": "function"}')
  await page.keyboard.press('Control+End')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.type(',')
  await page.keyboard.press('Enter')
  await page.keyboard.type('"pieHole": 1')
  await expect(
    configuration.getByText('Line 2: pieHole: Value should be greater than 0 and less than 1!'),
  ).toBeVisible()
  await expect(json).toHaveAccessibleDescription(/Tab leaves the text\..*Line 2: pieHole/)
  await expect(configuration.getByRole('button', { name: 'Save' })).toBeDisabled()
  await page.keyboard.press('Tab')
  await expect(json).not.toBeFocused()
  await page.keyboard.press('Shift+Tab')
  await expect(json).toBeFocused()
})

test('a map has its own tab, with a validated region', async ({ page }) => {
  const chart = { type: 'Geo', title: 'Map', filter: grouped('Country'), options: { colors } }
  const configuration = await openConfiguration(page, chart)
  await configuration.getByRole('button', { name: 'Edit options' }).click()
  const dialog = dialogOf(page, 'Chart Options')
  await expect(dialog.getByRole('tab')).toHaveText(['General', 'Geo', 'H-Axis', 'Legend'])
  await dialog.getByRole('tab', { name: 'Geo' }).click()
  const code = dialog.getByRole('combobox', { name: 'Region code', exact: true })
  await expect(code).toHaveValue('World (default)')
  await choose(page, dialog.getByRole('combobox', { name: 'Region', exact: true }), 'Country')
  await expect(dialog.getByText('Value is required!')).toBeVisible()
  await code.fill('pt')
  await expect(dialog.getByText('Country code is invalid!')).toBeVisible()
  await page.getByRole('option', { name: 'PT Portugal' }).click()
  await choose(page, dialog.getByRole('combobox', { name: 'Keep aspect ratio' }), 'false')
  await dialog.getByRole('button', { name: 'Save' }).click()
  const json = configuration.getByRole('textbox', { name: 'Options' })
  await expect(json).toContainText('"region": "PT"')
  await expect(json).toContainText('"keepAscpectRatio": false')
})
