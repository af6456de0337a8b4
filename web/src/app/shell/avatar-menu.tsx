import { Avatar, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { Link } from 'react-router'
import IconKeyboard from '#icons/IconKeyboard'
import IconLogout from '#icons/IconLogout'
import IconUserCircle from '#icons/IconUserCircle'
import { paths } from '#lib/paths.ts'
import { signOut, useUser } from '#lib/session/session.ts'
import { BarMenu } from './bar-menu.tsx'
import menuCss from './bar-menu.module.css'
import css from './avatar-menu.module.css'

/** The signed-in user, and Logout. */
export function AvatarMenu({ onShortcutsOpen }: { onShortcutsOpen: () => void }) {
  const { email, userName, photoURL } = useUser()
  const name = userName ?? email
  return (
    <BarMenu
      label="Your menu"
      width={240}
      trigger={(button) => (
        <UnstyledButton className={css['avatar'] ?? ''} {...button}>
          <Avatar src={photoURL} name={name} color="teal.9" variant="filled" size={30} alt="" />
          <VisuallyHidden> {name}, your menu</VisuallyHidden>
        </UnstyledButton>
      )}
    >
      {(close) => (
        <>
          <div className={css['person']}>
            {userName && (
              <Text size="sm" fw={600} truncate>
                {userName}
              </Text>
            )}
            <Text size="xs" c="dimmed" truncate title={email}>
              {email}
            </Text>
          </div>
          <UnstyledButton component={Link} to={paths.profile()} className={menuCss['entry'] ?? ''} onClick={close}>
            <IconUserCircle size={16} aria-hidden />
            User profile
          </UnstyledButton>
          <UnstyledButton
            className={menuCss['entry'] ?? ''}
            onClick={() => {
              close()
              onShortcutsOpen()
            }}
          >
            <IconKeyboard size={16} aria-hidden />
            Keyboard shortcuts
          </UnstyledButton>
          <UnstyledButton className={menuCss['entry'] ?? ''} onClick={() => void signOut()}>
            <IconLogout size={16} aria-hidden />
            Logout
          </UnstyledButton>
        </>
      )}
    </BarMenu>
  )
}
