import { useDisclosure } from '@mantine/hooks'
import { useLocation, useNavigate } from 'react-router'

/** Go to a screen with this as the navigation's state, and it opens its form for something new. */
export const openNew = { opens: 'new' } as const

/** Whether the form for something new is open: by its button, or since someone came here for it. */
export function useNewForm(): [isOpen: boolean, form: { open: () => void; close: () => void }] {
  const [isOpen, { open, close }] = useDisclosure()
  const { pathname, search, state } = useLocation()
  const navigate = useNavigate()
  // Reads `openNew` only, and ignores other state.
  const isAsked = (state as Partial<typeof openNew> | null)?.opens === 'new'
  const closeForm = (): void => {
    close()
    // Otherwise a reload would open it again.
    if (isAsked) void navigate(pathname + search, { replace: true, state: null })
  }
  return [isOpen || isAsked, { open, close: closeForm }]
}
