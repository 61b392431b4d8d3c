struct S <% int a<:3:>; %>;
