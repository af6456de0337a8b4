import { apiOf } from '../api.ts'
import { cellOf, members } from '../dashboards.ts'
import { chooseByKeys, tabTo } from '../keyboard.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { dialogOf, snackbar } from '../screens.ts'

let account: Account
let petra: Person

test.beforeAll(async () => {
  account = await makeAccount('Quiet Meadow')
  petra = await makePerson('Petra', { accounts: [account] })
  await (await apiOf(petra, account)).importFile('Members', members, { typeCasting: true })
})

test('a dashboard is created, filled, saved, filtered and reset by keyboard alone', async ({ page }) => {
  await signIn(page, petra, undefined, '/contact-service/dashboards')
  await tabTo(page, page.getByRole('button', { name: 'New', exact: true }))
  await page.keyboard.press('Enter')
  const made = dialogOf(page, 'New Dashboard')
  await expect(made.getByRole('textbox', { name: 'Name' })).toBeFocused()
  await page.keyboard.type('By keys')
  await chooseByKeys(page, made.getByRole('combobox', { name: 'Tags' }), 'goal')
  await page.keyboard.press('Escape')
  await expect(made).toBeVisible()
  await tabTo(page, made.getByRole('button', { name: 'Create' }))
  await page.keyboard.press('Enter')
  await expect(snackbar(page, "'By keys' was successfully created.")).toBeVisible()

  // The first cell: a chart.
  await tabTo(page, page.getByRole('button', { name: 'Choose what it shows' }))
  await page.keyboard.press('Enter')
  const adding = dialogOf(page, 'Add a Cell')
  await expect(adding.getByRole('button', { name: 'Bar chart', exact: true })).toBeVisible()
  await tabTo(page, adding.getByRole('button', { name: 'Bar chart', exact: true }))
  await page.keyboard.press('Enter')
  const configuration = dialogOf(page, 'Chart Configuration')
  await expect(configuration.getByRole('textbox', { name: 'Title' })).toBeFocused()
  await page.keyboard.type('Cities')
  await tabTo(page, configuration.getByRole('button', { name: 'Edit filter' }))
  await page.keyboard.press('Enter')
  const builder = page.getByRole('region', { name: 'Filter builder' })
  await tabTo(page, builder.getByRole('tab', { name: 'Standard' }))
  for (const _ of ['Behavioral', 'By Location', 'Groupby']) await page.keyboard.press('ArrowRight')
  await expect(builder.getByRole('tab', { name: 'Groupby' })).toHaveAttribute('aria-selected', 'true')
  await chooseByKeys(page, builder.getByRole('combobox', { name: 'Group by', exact: true }), 'City')
  await chooseByKeys(page, builder.getByRole('combobox', { name: 'Operator', exact: true }), 'count')
  await tabTo(page, builder.getByRole('button', { name: 'Apply', exact: true }))
  await page.keyboard.press('Enter')
  await expect(configuration.getByLabel('Cities: chart of 3 groups')).toBeVisible()
  await expect(configuration.getByRole('button', { name: 'Edit filter' })).toBeFocused()
  // Tab leaves the text of the options, too.
  await tabTo(page, configuration.getByRole('button', { name: 'Save' }))
  await page.keyboard.press('Enter')

  // Another row below it, with a figure.
  await expect(configuration).toBeHidden()
  await tabTo(page, page.getByRole('button', { name: 'Add a cell after Cities' }))
  await page.keyboard.press('Enter')
  await expect(adding.getByRole('button', { name: 'KPI', exact: true })).toBeVisible()
  await tabTo(page, adding.getByRole('button', { name: 'KPI', exact: true }))
  await page.keyboard.press('Enter')
  await expect(configuration.getByRole('textbox', { name: 'Title' })).toBeFocused()
  await page.keyboard.type('Members')
  await tabTo(page, configuration.getByRole('button', { name: 'Save' }))
  await page.keyboard.press('Enter')
  await expect(cellOf(page, 'Edit Members').getByText('4', { exact: true })).toBeVisible()
  await tabTo(page, page.getByRole('button', { name: 'Start a new row with Members' }))
  await page.keyboard.press('Enter')
  await tabTo(page, page.getByRole('slider', { name: 'Width of Members' }))
  await page.keyboard.press('ArrowLeft')
  const width = page.getByRole('slider', { name: 'Width of Members' })
  const columns = Number(await width.getAttribute('aria-valuenow'))
  expect(columns).toBeLessThan(12)

  await tabTo(page, page.getByRole('button', { name: 'Save changes' }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  const update = dialogOf(page, 'Update Dashboard')
  await tabTo(page, update.getByRole('button', { name: 'Save' }))
  await page.keyboard.press('Enter')
  await expect(snackbar(page, "'By keys' was successfully saved.")).toBeVisible()

  await tabTo(page, page.getByRole('switch', { name: 'Edit' }), 'Shift+Tab')
  await page.keyboard.press('Space')
  const chart = cellOf(page, 'Cities').getByRole('application', { name: /^Cities/ })
  await expect(chart).toBeVisible()
  await tabTo(page, chart)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  const filters = page.getByRole('region', { name: 'Active filters' })
  await expect(filters).toBeVisible()
  await expect(cellOf(page, 'Members').getByText(/^[12]$/)).toBeVisible()
  await expect(chart).toBeFocused()
  await tabTo(page, filters.getByRole('button', { name: 'Reset' }), 'Shift+Tab')
  await page.keyboard.press('Enter')
  await expect(filters).toBeHidden()
  await expect(cellOf(page, 'Members').getByText('4', { exact: true })).toBeVisible()
})
