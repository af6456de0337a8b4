import { apiOf, type Client } from '../api.ts'
import { byCity, cellOf, citiesAndMembers, colors, makeDashboard, members } from '../dashboards.ts'
import { expectSmall, firstLoad, watchShifts } from '../first-load.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'

let account: Account
let otto: Person
let api: Client

test.beforeAll(async () => {
  account = await makeAccount('Marble Falls')
  otto = await makePerson('Otto', { accounts: [account] })
  api = await apiOf(otto, account)
  await api.importFile('Members', members, { typeCasting: true })
})

test('a dashboard loads without layout shift, even on a phone', async ({ page }) => {
  const lines = Array.from({ length: 8 }, (_, at) => `Line ${at + 1} of what there is to know.`).join('\n\n')
  const text = { id: 'text', cols: 6, chart: { type: 'Text', title: 'Notes', portico: { text: lines } } }
  const choice = { id: 'choice', cols: 6, chart: { type: 'Dropdown', title: 'City', filter: byCity } }
  const { _id: id } = await makeDashboard(api, account, 'Steady', [[text, choice], citiesAndMembers])
  const shift = await watchShifts(page)
  await signIn(page, otto, undefined, '/home')
  for (const [width, height] of [
    [390, 844],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.goto(`/contact-service/dashboards?dashboard=${id}`)
    await expect(cellOf(page, 'Notes').getByText('Line 8 of')).toBeVisible()
    await cellOf(page, 'Members').scrollIntoViewIfNeeded()
    await expect(cellOf(page, 'Members').getByText('4', { exact: true })).toBeVisible()
    await expect(cellOf(page, 'Cities').getByRole('application')).toBeAttached()
    expect(await shift(), `at ${width}`).toBeLessThan(0.02)
  }
})

test('a dashboard without maps loads less than 330 kB of compressed scripts besides the shell and the home page', async ({
  page,
  browser,
}) => {
  // A date picker would narrow the charts to nothing; its code is the same as that of the tile with its own range.
  const both = { standard: [{ $group: { _id: { City: '$City', Name: '$Name' }, count: { $count: {} } } }] }
  const calculatedColumns = [{ name: 'Twice', expression: '{{count}} * 2', fix: 'none', position: 'e' }]
  const charts = [
    ...['Area', 'Bar', 'Column', 'Combo', 'Line', 'Pie', 'Table', 'Dropdown'].map((type) => ({ type, filter: byCity })),
    { type: 'Dropdown', filter: byCity, multipleSelect: true },
    { type: 'Pivot', filter: both },
    { type: 'CalculatedTable', filter: byCity, calculatedColumns },
    { type: 'PaginaTable', filter: { standard: [], columns: ['Name'] } },
    { type: 'KPI', filter: { standard: [] }, filter2: { standard: [] }, template: 'ratio-with-master-date-range' },
    { type: 'KPI', filter: { standard: [] }, template: 'internal-date-range' },
    { type: 'Text', portico: { text: '**Members**' } },
  ]
  const all = charts.map(({ template, ...chart }: Record<string, unknown>) => [
    { cols: 12, chart: { title: '', ...chart, options: { colors, ...(template !== undefined && { template }) } } },
  ])
  const { _id: id } = await makeDashboard(api, account, 'Every kind but maps', all)
  const place = `/contact-service/dashboards?dashboard=${id}`
  await signIn(page, otto, undefined, place)
  await expect(page.getByRole('region', { name: 'Area' })).toBeVisible()
  const usual = await firstLoad(page, browser, '/home')
  const files = await firstLoad(page, browser, place, async (fresh, settled) => {
    for (const { type } of charts) {
      await fresh
        .getByRole('region', { name: String(type), exact: true })
        .first()
        .scrollIntoViewIfNeeded()
    }
    await expect(fresh.getByRole('application').first()).toBeAttached()
    await settled()
  })
  const beside = files.filter((file) => file.endsWith('.js') && !usual.includes(file))
  expect(beside.some((file) => file.includes('chart-engine'))).toBe(true)
  await expectSmall(beside, 330_000)
})
