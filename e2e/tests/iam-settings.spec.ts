import { expectPresentable, openIamScreen } from '../iam-area.ts'
import { expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { dialogOf } from '../screens.ts'

let sven: Person

test.beforeAll(async () => {
  sven = await makePerson('Sven', { accounts: [await makeAccount('Quarry Works')] })
})

test('settings can be saved after a change, persist in this browser, and ask before they are lost', async ({
  page,
}) => {
  await signIn(page, sven, undefined, '/iam/home')
  await expect(page.getByRole('heading', { level: 1, name: 'Identity & Access' })).toBeVisible()
  await expectPresentable(page)
  await openIamScreen(page, 'Settings')
  const save = page.getByRole('button', { name: 'Save' })
  await expect(save).toBeDisabled()
  await expectPresentable(page)

  await page.getByRole('switch', { name: 'Dense rows' }).press('Space')
  await expect(save).toBeEnabled()
  await page.getByRole('navigation', { name: 'Identity & Access' }).getByRole('link', { name: 'Audit' }).click()
  const question = dialogOf(page, 'Unsaved changes')
  await expect(question).toContainText('Do you really want to leave? you have unsaved changes!')
  await expect(question.getByRole('button', { name: 'Stay' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('switch', { name: 'Dense rows' })).not.toBeChecked()

  await page.getByRole('radio', { name: '5', exact: true }).press('Space')
  await page.getByRole('switch', { name: 'Single expand' }).press('Space')
  await save.click()
  await expect(page.getByText('Settings were updated.')).toBeVisible()
  await expect(save).toBeDisabled()
  await page.reload()
  await expect(page.getByRole('switch', { name: 'Dense rows' })).not.toBeChecked()
  await expect(page.getByRole('switch', { name: 'Single expand' })).not.toBeChecked()
  await expect(page.getByRole('radio', { name: '5', exact: true })).toBeChecked()
  await openIamScreen(page, 'Audit')
  await expect(page.getByRole('radio', { name: 'Cozy' })).toBeChecked()

  await openIamScreen(page, 'Settings')
  await page.getByRole('switch', { name: 'Dense rows' }).press('Space')
  await page.getByRole('navigation', { name: 'Identity & Access' }).getByRole('link', { name: 'Audit' }).click()
  await question.getByRole('button', { name: 'Leave' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Audit' })).toBeVisible()
  await expect(page.getByRole('radio', { name: 'Cozy' })).toBeChecked()
})

test('the area opens at the last page viewed, unless the setting is off', async ({ page }) => {
  await signIn(page, sven, undefined, '/iam/settings')
  await openIamScreen(page, 'Audit')
  await page.goto('/iam')
  await expect(page.getByRole('heading', { level: 1, name: 'Audit' })).toBeVisible()
  await openIamScreen(page, 'Settings')
  await page.getByRole('switch', { name: 'Keep last page viewed' }).press('Space')
  await page.getByRole('button', { name: 'Save' }).click()
  await openIamScreen(page, 'Audit')
  await page.goto('/iam')
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
})
