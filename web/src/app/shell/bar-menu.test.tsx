import { ActionIcon } from '@mantine/core'
import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { AccountPicker } from './account-picker.tsx'
import { BarMenu } from './bar-menu.tsx'

function Menus() {
  return (
    <>
      <BarMenu label="Tools" width={200} trigger={(button) => <ActionIcon aria-label="Open the tools" {...button} />}>
        {(close) => (
          <>
            <button onClick={close}>Hammer</button>
            <button>Saw</button>
          </>
        )}
      </BarMenu>
      <p>elsewhere</p>
    </>
  )
}

const opener = () => screen.getByRole('button', { name: 'Open the tools' })
const panel = () => screen.queryByRole('dialog', { name: 'Tools' })

test('a menu of the bar takes the focus and returns it', async () => {
  const { user } = renderApp(<Menus />)
  expect(opener()).toHaveAttribute('aria-expanded', 'false')
  await user.click(opener())
  expect(opener()).toHaveAttribute('aria-expanded', 'true')
  await waitFor(() => expect(screen.getByRole('button', { name: 'Hammer' })).toHaveFocus())
  await user.tab()
  expect(screen.getByRole('button', { name: 'Saw' })).toHaveFocus()
  await user.tab()
  expect(screen.getByRole('button', { name: 'Hammer' })).toHaveFocus()
  await user.keyboard('{Escape}')
  expect(panel()).toBeNull()
  await waitFor(() => expect(opener()).toHaveFocus())
})

test('a menu of the bar closes on choosing an entry, on its button and on a click elsewhere', async () => {
  const { user } = renderApp(<Menus />)
  const closings = [
    () => user.click(screen.getByRole('button', { name: 'Hammer' })),
    () => user.click(opener()),
    () => user.click(screen.getByText('elsewhere')),
  ]
  for (const close of closings) {
    await user.click(opener())
    expect(panel()).toBeVisible()
    await close()
    expect(panel()).toBeNull()
  }
})

test('the account picker loads on focus, keeps the focus, and opens on a click', async () => {
  beSignedIn()
  serveApi({
    'GET /identity/v1/accounts': answer([
      { Key: 1, Value: 'Acme', parent: null },
      { Key: 2, Value: 'Zenith', parent: null },
    ]),
  })
  const { user } = renderApp(<AccountPicker />)
  const field = () => screen.findByRole('combobox', { name: 'Account' })
  expect(await field()).toHaveAttribute('readonly')
  await user.tab()
  await waitFor(async () => expect(await field()).not.toHaveAttribute('readonly'))
  expect(await field()).toHaveFocus()
  expect(screen.queryByRole('option')).toBeNull()
  await user.keyboard('zen')
  expect(await screen.findByRole('option', { name: 'Zenith' })).toBeVisible()
})
