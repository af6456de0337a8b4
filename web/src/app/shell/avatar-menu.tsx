import { Avatar, Popover, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import IconLogout from '#icons/IconLogout'
import { signOut, useUser } from '#lib/session.ts'
import css from './avatar-menu.module.css'

/** Who is signed in, and the way out. */
export function AvatarMenu() {
  const { email, userName, photoURL } = useUser()
  const name = userName ?? email
  return (
    <Popover position="bottom-end" width={240} shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton className={css['avatar'] ?? ''}>
          <Avatar src={photoURL} name={name} color="teal.9" variant="filled" size={30} alt="" />
          <VisuallyHidden> {name}, your menu</VisuallyHidden>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown p={4}>
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
        <UnstyledButton className={css['entry'] ?? ''} onClick={() => void signOut()}>
          <IconLogout size={16} aria-hidden />
          Logout
        </UnstyledButton>
      </Popover.Dropdown>
    </Popover>
  )
}
