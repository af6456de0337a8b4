import { expectAccessibleInBothSchemes } from '../accessibility.ts'
import { replacing } from '../../server/test/kit/replacing-calls.ts'
import { editedForms, makeEditedItems } from '../edited-forms.ts'
import { openForm } from '../open-form.ts'
import { otherForms, formless } from '../edited-otherwise.ts'
import { tabTo } from '../keyboard.ts'
import { expect, signIn, test } from '../portal.ts'
import { dialogOf, expectNoSideScroll } from '../screens.ts'

// Walks through all forms that edit an item: none opens with stale values, and none undoes another person's save.

let items: Awaited<ReturnType<typeof makeEditedItems>>

test.beforeAll(async () => {
  items = await makeEditedItems()
})

for (const [name, formOf] of Object.entries(editedForms)) {
  test(`${name}: opens with the current values, reports a concurrent save, and loses neither version`, async ({
    page,
    trouble,
  }) => {
    const edited = formOf(items)
    const { one, other } = edited.by
    const { value } = edited
    trouble.expect(`409 ${edited.call}`)
    await signIn(page, one, items.account, edited.opener ? edited.place : '/home')
    const opener = edited.opener && (await edited.opener(page))
    if (opener) await expect(opener).toBeVisible()
    await edited.save('early')
    const { form, field } = await openForm(page, edited, opener)
    await expect(field).toHaveValue(value('early'))

    await edited.save('late')
    await field.fill(value('mine'))
    const submit = form.getByRole('button', { name: edited.submit, exact: true }).first()
    await tabTo(page, submit)
    await page.keyboard.press('Enter')
    const note = form.getByRole('alert')
    await expect(note).toBeFocused()
    await expect(note).toContainText(
      one === other ? 'You saved this in another window' : `${other.email} saved this while you were editing.`,
    )
    await expect(note.getByRole('listitem')).toContainText(edited.label)
    expect(await edited.read()).toBe(value('late'))

    await tabTo(page, note.getByRole('button', { name: 'Compare' }))
    await page.keyboard.press('Enter')
    await expect(note.getByRole('row').last().getByRole('cell')).toHaveText([value('late'), value('mine')])
    await tabTo(page, note.getByRole('button', { name: 'Use the saved values' }))
    await page.keyboard.press('Enter')
    const told = form.getByRole('status').filter({ hasText: 'The form now shows the saved values.' })
    await expect(told).toBeFocused()
    await expect(field).toHaveValue(value('late'))
    await tabTo(page, told.getByRole('button', { name: /^Put back/ }))
    await page.keyboard.press('Enter')
    await expect(field).toHaveValue(value('mine'))
    await tabTo(page, submit)
    await page.keyboard.press('Enter')
    await expect(page.getByText(edited.saved).first()).toBeVisible()
    expect(await edited.read()).toBe(value('mine'))
  })
}

for (const { title, walk } of Object.values(otherForms)) {
  test(title, ({ page, trouble }) => walk(page, items, trouble))
}

test('every call that replaces an item is covered by a form in this test', () => {
  const calls = Object.values(editedForms).map((formOf) => formOf(items).call)
  const missing = replacing.filter(([name, { method, path }]) => {
    const call = new RegExp(`^${method} /api${path.replaceAll(/:\w+/g, '[^/]+')}$`)
    return !(name in otherForms) && !(name in formless) && !calls.some((one) => call.test(one))
  })
  expect(missing.map(([name]) => name)).toEqual([])
})

test('copies of a policy and of a cron start from their current values', async ({ page }) => {
  const policy = editedForms['policy']?.(items)
  const cron = editedForms['cron']?.(items)
  if (!policy || !cron) throw new Error('There are no such forms.')
  await signIn(page, policy.by.one, items.account, policy.place)
  await page.getByRole('checkbox', { name: new RegExp(`^Select ${items.prefix} `) }).check()
  await policy.save('copied')
  await page.getByRole('button', { name: 'Duplicate' }).click()
  const name = dialogOf(page, 'New Policy').getByRole('textbox', { name: 'Name' })
  await expect(name).toHaveValue(policy.value('copied'))

  await signIn(page, cron.by.one, items.account, cron.place)
  const edit = await cron.opener?.(page)
  await expect(edit ?? page.getByRole('main')).toBeVisible()
  await cron.save('copied')
  await page.getByRole('button', { name: 'More for Medlar cron' }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  const emails = dialogOf(page, 'Schedule').getByRole('textbox', { name: 'Emails', exact: true })
  await expect(emails).toHaveValue(cron.value('copied'))
})

test('on a phone, the saved values can be compared and overwritten', async ({ page, trouble }) => {
  const edited = editedForms['identity']?.(items)
  if (!edited) throw new Error('There is no such form.')
  trouble.expect(`409 ${edited.call}`)
  await page.setViewportSize({ width: 390, height: 844 })
  await signIn(page, edited.by.one, items.account, edited.place)
  const { form, field } = await openForm(page, edited, (await edited.opener?.(page)) ?? null)
  await edited.save('theirs')
  await field.fill(edited.value('over theirs'))
  await form.getByRole('button', { name: edited.submit }).click()
  const note = form.getByRole('alert')
  await note.getByRole('button', { name: 'Compare' }).click()
  await expectNoSideScroll(page)
  await expectAccessibleInBothSchemes(page)
  await note.getByRole('button', { name: 'Save mine instead' }).click()
  await expect(page.getByText(edited.saved)).toBeVisible()
  expect(await edited.read()).toBe(edited.value('over theirs'))
})
