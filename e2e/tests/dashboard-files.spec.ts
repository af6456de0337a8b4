import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { readWorkbookFile, textsOf } from '../../server/test/kit/read-workbook-file.ts'
import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { byCity, cellOf, colors, makeDashboard, members } from '../dashboards.ts'
import { expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'

let ines: Person
let dashboard: string

test.beforeAll(async () => {
  const account = await makeAccount('Larch Bindery')
  ines = await makePerson('Ines', { accounts: [account] })
  const api = await apiOf(ines, account)
  await api.importFile('Members', members, { typeCasting: true })
  const listed = { standard: [], columns: ['Name', 'Joined', 'Score'], sort: { Name: 1 } }
  const { _id } = await makeDashboard(api, account, 'Bindery members', [
    [
      { id: 'cities', cols: 6, chart: { type: 'Bar', title: 'Cities', filter: byCity, options: { colors } } },
      { id: 'people', cols: 6, chart: { type: 'PaginaTable', title: 'People: all', filter: listed } },
    ],
  ])
  dashboard = _id
})

/** Saves the rows of a cell from its menu; returns the name of the file, and its sheets. */
async function savedWorkbook(page: Page, cell: string) {
  await page.getByRole('button', { name: `Menu of ${cell}` }).click()
  const saving = page.waitForEvent('download')
  // The menu of the cell before may still be closing.
  const menu = page.getByRole('menu', { name: `Menu of ${cell}` })
  await menu.getByRole('menuitem', { name: 'Save as Excel workbook' }).click()
  const download = await saving
  const { sheets } = await readWorkbookFile(await readFile(await download.path()))
  return { file: download.suggestedFilename(), names: sheets.map(({ name }) => name), rows: sheets[0]?.rows ?? [] }
}

test('the rows of a chart and of a paged table are saved as workbooks', async ({ page }) => {
  await signIn(page, ines, undefined, `/contact-service/dashboards?dashboard=${dashboard}`)
  await expect(cellOf(page, 'Cities').getByRole('application')).toBeVisible()
  await page.getByRole('button', { name: 'Menu of Cities' }).click()
  await expect(page.getByRole('menuitem', { name: 'Save as Excel workbook' })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')

  const cities = await savedWorkbook(page, 'Cities')
  expect(cities).toMatchObject({ file: 'Cities.xlsx', names: ['Cities'] })
  expect(textsOf(cities.rows)).toEqual([
    ['City', 'count'],
    ['Denver', '2'],
    ['Boulder', '1'],
    ['Lisbon', '1'],
  ])

  const people = await savedWorkbook(page, 'People: all')
  expect(people).toMatchObject({ file: 'People all.xlsx', names: ['People_ all'] })
  expect(people.rows.map((row) => row.map(({ text, style }) => (style === '1' ? `day ${text}` : text)))).toEqual([
    ['Name', 'Joined', 'Score'],
    ['Ada', 'day 46053', '10'],
    ['Bruno', 'day 46054', '20'],
    ['Carmen', 'day 46055', '30'],
    ['Dmitri', 'day 46056', '40'],
  ])
})
