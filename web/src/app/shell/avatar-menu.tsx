import { Avatar, Menu, Text, UnstyledButton } from '@mantine/core'
import IconLogout from '#icons/IconLogout'
import { signOut, useUser } from '#lib/session.ts'

/** Who is signed in, and the way out. */
export function AvatarMenu() {
  const { email, userName, photoURL } = useUser()
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton aria-label={`Your menu, ${userName ?? email}`} style={{ borderRadius: '50%' }}>
          <Avatar
            src={photoURL}
            name={userName ?? email}
            color="teal.9"
            variant="filled"
            size={30}
            alt=""
            aria-hidden
          />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div style={{ padding: '6px 10px 8px' }}>
          {userName && (
            <Text size="sm" fw={600} truncate>
              {userName}
            </Text>
          )}
          <Text size="xs" c="dimmed" truncate title={email}>
            {email}
          </Text>
        </div>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void signOut()}>
          Logout
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
