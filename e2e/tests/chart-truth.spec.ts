import type { Dashboard } from '@portico/contract/dashboards'
import { expectAccessible } from '../accessibility.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { apiOf } from '../api.ts'

// Charts show months in which no member joined, every label, and the groups they leave out.

const companies = Array.from({ length: 15 }, (_, at) => `${'ABCDEFGHIJKLMNO'[at]} Company of a Long Name and Partners`)
const months = ['01', '02', '06']
const kinds = ['Food', 'Books', 'Refunds']
const file = `Company,Joined,Kind,Amount
${Array.from({ length: 60 }, (_, at) => `${companies[at % 15]},2024-${months[at % 3]}-0${(at % 9) + 1},${kinds[at % 3]},${at % 3 === 2 ? -50 : 100 + at}`).join('\n')}
`

let account: Account
let tess: Person
let path: string

const counted = (key: unknown) => ({ standard: [{ $group: { _id: { key }, count: { $count: {} } } }] })
const chart = (id: string, title: string, type: string, filter: object) => ({
  id,
  cols: 6,
  chart: { type, title, options: { colors: ['#3560c4'] }, filter },
})

test.beforeAll(async () => {
  account = await makeAccount('Leadville')
  tess = await makePerson('Tess', { accounts: [account] })
  const api = await apiOf(tess, account)
  await api.importFile('Members', file, { typeCasting: true })
  const sums = { standard: [{ $group: { _id: { Kind: '$Kind' }, amount: { $sum: '$Amount' } } }] }
  const { _id: id } = await api.post<Dashboard>('/contact-service/v1/dashboards', {
    name: 'Figures',
    tags: ['event'],
    sharedWith: { paids: 'all', aids: [account.id], users: 'all' },
    definition: JSON.stringify({
      layout: [
        [
          chart('months', 'By month', 'Line', counted({ $month: '$Joined' })),
          chart('companies', 'By company', 'Column', counted('$Company')),
        ],
        [chart('parts', 'Parts', 'Pie', sums), chart('kinds', 'By kind', 'Bar', counted('$Kind'))],
      ],
    }),
  })
  path = `/contact-service/dashboards?dashboard=${id}`
})

test('a dashboard draws empty months and every company, and notes what it leaves out', async ({ page }) => {
  await signIn(page, tess, undefined, path)
  const byMonth = page.getByRole('region', { name: 'By month' }).locator('svg')
  for (const month of ['Jan', 'Mar', 'May', 'Jun']) await expect(byMonth.getByText(month)).toBeVisible()
  const byCompany = page.getByRole('region', { name: 'By company' }).locator('svg')
  for (const company of companies) await expect(byCompany.getByText(company.slice(0, 7))).toBeVisible()
  await expect(page.getByText('1 of 3 groups is not drawn: zero or negative.')).toBeVisible()
  await expectAccessible(page)
})

test('a search draws empty months and every company', async ({ page }) => {
  const searchFor = (key: unknown) =>
    `/contact-service/documents?filter=${encodeURIComponent(JSON.stringify(counted(key).standard))}`
  await signIn(page, tess, undefined, searchFor('$Company'))
  const drawing = page.getByRole('figure', { name: /^Column chart of count/ }).locator('svg')
  for (const company of companies) await expect(drawing.getByText(company.slice(0, 7))).toBeVisible()
  await page.goto(searchFor({ $month: '$Joined' }))
  for (const month of ['February', 'April']) await expect(drawing.getByText(month)).toBeVisible()
})
