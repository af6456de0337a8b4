import { fireEvent, screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { NewPasswordField } from './new-password-field.tsx'
import { rate } from './password-rating.ts'

function Field({ error }: { error?: string }) {
  const [value, setValue] = useState('')
  return (
    <NewPasswordField
      value={value}
      onChange={setValue}
      error={error}
      knownWords={['mara.klein@example.com', 'Portico']}
    />
  )
}

test('describes the strength of the password', async () => {
  const { user } = renderApp(<Field />)
  expect(screen.getByText(/^Use several unrelated words/)).toBeVisible()
  const field = screen.getByLabelText('New password')
  await user.type(field, 'kwx7')
  expect(await screen.findByText(/^(Very weak|Weak) password$/)).toBeVisible()
  await user.type(field, ' seven quiet rivers run')
  expect(await screen.findByText('Strong password')).toBeVisible()
})

test('refuses the most common passwords while typing', async () => {
  const { user } = renderApp(<Field />)
  await user.type(screen.getByLabelText('New password'), 'Password123')
  expect(await screen.findByText('This is one of the most common passwords. Choose another one.')).toBeVisible()
  expect(screen.getByText('Very weak password')).toBeVisible()
})

test('never rates a refused password as strong', async () => {
  const { user } = renderApp(<Field error="Your password must not contain your email." />)
  await user.type(screen.getByLabelText('New password'), 'mara.klein seven quiet rivers run')
  expect(await screen.findByText('Not accepted')).toBeVisible()
})

test('data of the owner lowers the rating of a password', () => {
  expect(rate('mara.klein@example.com', ['mara.klein@example.com']).score).toBeLessThan(
    rate('mara.klein@example.com', []).score,
  )
})

test('can be shown, and reports Caps Lock', async () => {
  const { user } = renderApp(<Field />)
  const field = screen.getByLabelText('New password')
  expect(field).toHaveAttribute('type', 'password')
  expect(field).toHaveAttribute('autocomplete', 'new-password')
  await user.click(screen.getByRole('button', { name: 'Show the password' }))
  expect(field).toHaveAttribute('type', 'text')
  await user.click(screen.getByRole('button', { name: 'Hide the password' }))
  expect(field).toHaveAttribute('type', 'password')
  fireEvent.keyDown(field, { key: 'A', modifierCapsLock: true })
  expect(screen.getByText('Caps Lock is on.')).toBeVisible()
})
