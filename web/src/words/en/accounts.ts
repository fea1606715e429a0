export const accounts = {
  setup: {
    title: 'Make it yours',
    lead: 'Choose the name and the password that you will log in with.',
    button: 'Set up Lectern',
    noLink: 'Open the setup link that Lectern printed on its console: the part after the # is the key.',
    gone: 'The link is gone? Restart Lectern and it prints a new one.',
  },
  waiting: {
    title: 'Almost there',
    lead: 'This Lectern has no owner yet. Open the setup link that it printed on its console when it started.',
  },
  login: {
    title: 'Welcome back',
    button: 'Log in',
    again: 'Log in again',
    ended: 'Your session has ended. Log in, and what you were doing goes on.',
  },
  name: 'Name',
  password: 'Password',
  passwordHint: 'Eight characters or more.',
  showPassword: 'Show the password',
};
