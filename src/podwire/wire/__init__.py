"""The whole picture: facts joined through the peers' answers, pod to port and back."""
