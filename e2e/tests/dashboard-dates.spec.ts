import { expectAccessibleInBothSchemes } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { cellOf, colors, makeDashboard } from '../dashboards.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { choose, dialogOf, snackbar } from '../screens.ts'

let account: Account
let dora: Person
let place: string

const today = new Date().toISOString().slice(0, 10)
const file = `Name,City,Joined,Paid
Ada,Denver,2020-01-31,1000
Bruno,Denver,${today},1234.5
Carmen,Boulder,${today},2000
`
const picker = {
  type: 'DatePicker',
  title: '',
  datePickerType: 'month',
  defaultId: 'ALL',
  maxRange: 31,
  portico: { dateField: 'Joined', allTime: true, narrows: ['paid', 'sums'] },
}
const paid = { standard: [{ $group: { _id: { City: '$City' }, Paid: { $sum: '$Paid' } } }] }

test.beforeAll(async () => {
  account = await makeAccount('Telluride')
  dora = await makePerson('Dora', { accounts: [account] })
  const api = await apiOf(dora, account)
  await api.importFile('Members', file, { typeCasting: true })
  const { _id: id } = await makeDashboard(api, account, 'Days', [
    [
      { id: 'dates', cols: 4, chart: picker },
      {
        id: 'members',
        cols: 4,
        chart: { type: 'KPI', title: 'Members', filter: { standard: [] }, options: { colors } },
      },
    ],
    [
      { id: 'paid', cols: 6, chart: { type: 'Column', title: 'Paid by city', filter: paid, options: { colors } } },
      { id: 'sums', cols: 6, chart: { type: 'Table', title: 'Sums', filter: paid } },
    ],
  ])
  place = `/contact-service/dashboards?dashboard=${id}`
})

test('a date picker narrows the chosen cells, which say to which days, and values get a format', async ({ page }) => {
  await signIn(page, dora, undefined, place)
  const sums = cellOf(page, 'Sums')
  await expect(sums.getByRole('row', { name: /Denver/ })).toContainText('2,234.5')
  await expect(page.getByRole('region', { name: 'Active filters' })).toContainText('Joined: All time')
  await page.getByRole('button', { name: 'Dates: All time' }).click()
  await page.getByRole('button', { name: 'Last 7 days' }).click()
  await expect(sums.getByRole('row', { name: /Denver/ })).toContainText('1,234.5')
  await expect(sums).toContainText('Joined: ')
  await expect(cellOf(page, 'Paid by city')).toContainText('Joined: ')
  await expect(cellOf(page, 'Members').getByText('3', { exact: true })).toBeVisible()
  await expect(cellOf(page, 'Members')).not.toContainText('Joined: ')
  await expectAccessibleInBothSchemes(page)

  await page.getByRole('switch', { name: 'Edit' }).press('Space')
  await page.getByRole('button', { name: 'Configure Sums' }).click()
  const configuration = dialogOf(page, 'Chart Configuration')
  await configuration.getByRole('button', { name: 'Edit formats' }).click()
  const formats = dialogOf(page, 'Formats')
  await choose(page, formats.getByRole('combobox', { name: 'Format of Paid' }), 'Currency ($1,234)')
  await choose(page, formats.getByRole('combobox', { name: 'Decimals of Paid' }), '2')
  await formats.getByRole('textbox', { name: 'Suffix of Paid' }).fill(' net')
  await expect(formats.getByRole('region', { name: 'Preview' })).toContainText('$2,234.50 net')
  await expectAccessibleInBothSchemes(page, '[data-mantine-shared-portal-node]')
  await formats.getByRole('button', { name: 'Save' }).click()
  await configuration.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Configure DatePicker' }).click()
  await choose(page, configuration.getByRole('combobox', { name: 'Narrows' }), 'All cells')
  await expectAccessibleInBothSchemes(page, '[data-mantine-shared-portal-node]')
  await configuration.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await dialogOf(page, 'Update Dashboard').getByRole('button', { name: 'Save' }).click()
  await expect(snackbar(page, "'Days' was successfully saved.")).toBeVisible()
  await page.getByRole('switch', { name: 'Edit' }).press('Space')
  await expect(sums.getByRole('row', { name: /Denver/ })).toContainText('$1,234.50 net')
  await expect(cellOf(page, 'Members').getByText('2', { exact: true })).toBeVisible()
})
