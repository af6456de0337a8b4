import type { Page } from '@playwright/test'
import type { Client } from '../api.ts'
import { accountOfEveryCell, type Check, close, openEveryCell, startEditing, testInEachScheme } from '../every-cell.ts'
import { type Account, expect, test } from '../portal.ts'
import { choose, dialogOf } from '../screens.ts'

let account: Account
let api: Client

test.beforeAll(async () => {
  ;({ account, api } = await accountOfEveryCell('Slate Harbor'))
})

const kinds =
  'Bar chart,Line chart,Area chart,Combo chart,Pie chart,Donut chart,Geo chart,Table,Paginated table,Calculated table,Pivot table,KPI,Dropdown,Date picker,Text'.split(
    ',',
  )

async function checkEditing(page: Page, check: Check): Promise<void> {
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

/** Opens the filter of the cell being configured, and its tabs one after the other. */
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

testInEachScheme(
  'every dialog and state in which a cell is added and configured is accessible',
  async ({ page, trouble, check }) => {
    await openEveryCell(page, trouble, account, api)
    await startEditing(page)
    await checkEditing(page, check)
  },
)
