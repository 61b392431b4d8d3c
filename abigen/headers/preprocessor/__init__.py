"""The preprocessor: from headers as their users wrote them to tokens, comments and macros with their places."""
