(** * The statements of the papers, as theorems

    Read [Definitions.v] for the words. Each statement says in a comment what the paper says; its proof is in the file
    that its last line names. LQS: Li, Qardaji, Su, _On Sampling, Anonymization, and Differential Privacy_. *)

From Coq Require Import Reals Lra Psatz Lia List Bool Arith Permutation.
From Crowdproof Require Import Definitions Binomial Expectation Amplification Closure OneCell Tight Anonymize.
From Crowdproof Require Import Proposition4 Recoding Parity Blending Maximum Counterexample Histogram.
Import ListNotations.
Open Scope R_scope.

(** LQS Theorem 1. An algorithm that is (beta1, eps1, delta1)-DPS is (beta2, eps2, delta2)-DPS for every
    beta2 < beta1, with eps2 = ln(1 + (beta2/beta1)(e^eps1 - 1)) and delta2 = (beta2/beta1) delta1. *)
Theorem thm1 : forall (Row Event : Type) (A : Event -> list Row -> R) (beta1 beta2 eps1 delta1 : R),
  (forall O T, 0 <= A O T) -> 0 < beta2 -> beta2 < beta1 -> beta1 <= 1 -> 0 <= eps1 -> 0 <= delta1 ->
  DPS Row beta1 eps1 delta1 A ->
  DPS Row beta2 (ln (1 + beta2 / beta1 * (exp eps1 - 1))) (beta2 / beta1 * delta1) A.
Proof. exact amplification. Qed.

(** LQS Theorem 2. Whatever is computed from the output of a (beta, eps, delta)-DPS algorithm, also at random, is
    (beta, eps, delta)-DPS, where both have finitely many outputs. *)
Theorem thm2 : forall (Row Out Out2 : Type) (outs : list Out) (outs2 : list Out2) (A1 : list Row -> Out -> R)
  (A2 : Out -> Out2 -> R) (beta eps delta : R),
  (forall o o2, 0 <= A2 o o2) -> (forall o, sum_over (A2 o) outs2 = 1) ->
  DPS Row beta eps delta (chance Row outs A1) ->
  DPS Row beta eps delta (chance Row outs2 (afterwards Row outs A1 A2)).
Proof. intros Row Out Out2. exact (@post_processing Row Out Out2). Qed.

(** LQS Theorem 3. Choosing between two (beta, eps, delta)-DPS algorithms by a coin that ignores the data is
    (beta, eps, delta)-DPS. *)
Theorem thm3 : forall (Row Event : Type) (A1 A2 : Event -> list Row -> R) (p beta eps delta : R),
  0 <= p <= 1 -> DPS Row beta eps delta A1 -> DPS Row beta eps delta A2 ->
  DPS Row beta eps delta (fun O T => p * A1 O T + (1 - p) * A2 O T).
Proof. intros Row Event. exact (@random_choice Row Event). Qed.

(** LQS 2.2. At rate 1/2 the parity r(T) of a sample, and r(T) XOR 'the target is sampled', are each a fair coin on every
    dataset of two or more rows with at most one target, so each alone is perfectly private. The two together tell
    whether the target is sampled: an event has probability 1/2 with the target in the data and 0 without it. *)
Theorem xor : forall (Row : Type) (target : Row -> bool),
  (forall D c, (1 <= length D)%nat -> E Row (1/2) D (fun T => one (Bool.eqb (parity T) c)) = 1/2) /\
  (forall l u l' c, target u = false ->
     E Row (1/2) (l ++ u :: l') (fun T => one (Bool.eqb (xorb (parity T) (sampled target T)) c)) = 1/2) /\
  (forall l t l', target t = true -> (forall r, In r (l ++ l') -> target r = false) ->
     E Row (1/2) (l ++ t :: l') (fun T => one (xorb (parity T) (xorb (parity T) (sampled target T)))) = 1/2 /\
     E Row (1/2) (l ++ l') (fun T => one (xorb (parity T) (xorb (parity T) (sampled target T)))) = 0).
Proof. intros Row target. split; [| split].
 - intros D c HD. apply parity_is_fair. exact HD.
 - intros l u l' c Hu. apply (released_is_fair Row target). exact Hu.
 - intros l t l' Ht Hl. apply (pair_leaks Row target); assumption. Qed.

(** LQS 2.7. Fifty fresh samples at rate 0.2, each given to a (0.2, 0.02, 0)-DPS algorithm with finitely many outputs, are
    together 1-DP: for every event of the fifty outputs. A row is in at least one of the samples with probability
    1 - 0.8^50 > 0.99998. *)
Theorem fresh : forall (Row Out : Type) (outs : list Out) (A : list Row -> Out -> R),
  (forall T o, 0 <= A T o) -> DPS Row (2/10) (2/100) 0 (chance Row outs A) ->
  DP Row (neighbours Row) 1 0 (fun (O : list Out -> bool) D => runs Row outs A (2/10) 50 D (fun os => one (O os))) /\
  forall t, 1 - missed Row (2/10) t 50 = 1 - (8/10) ^ 50 /\ 99998/100000 < 1 - (8/10) ^ 50.
Proof. intros Row Out outs A HA H. split.
 - intros O D D' HD. assert (C := composition Row outs A (2/10) (2/100) 50 ltac:(lra) HA H D D' HD (fun os => one (O os)) ltac:(intro os; unfold one; destruct (O os); lra)).
   replace (INR 50 * (2/100)) with 1 in C by (simpl; lra). lra.
 - intro t. rewrite missed_all. replace (1 - 2/10) with (8/10) by lra. split. reflexivity. lra. Qed.

(** Basic composition. Every number n of fresh samples at rate beta, each given to a (beta, eps, delta)-DPS algorithm
    with finitely many outputs, is together (n eps, n delta)-DP, for every event of the n outputs. *)
Theorem composition : forall (Row Out : Type) (outs : list Out) (A : list Row -> Out -> R) (n : nat) (beta eps delta : R),
  0 <= beta <= 1 -> (forall T o, 0 <= A T o) -> (forall T, sum_over (A T) outs = 1) -> DPS Row beta eps delta (chance Row outs A) ->
  DP Row (neighbours Row) (INR n * eps) (INR n * delta) (fun (O : list Out -> bool) D => runs Row outs A beta n D (fun os => one (O os))).
Proof. intros Row Out outs A n beta eps delta Hb HA H1 H O D D' HD.
 apply (composition_with_delta Row outs A beta eps delta n Hb HA H1 H D D' HD). intro os. unfold one. destruct (O os); lra. Qed.

(** LQS Proposition 4, both versions. No strongly safe k-anonymization is (eps, delta)-DP for any delta < 1: without
    exception where neighbours differ by an added or removed row, and for every recoding with at least two cells where
    a row is replaced. With one cell only, a replaced row changes nothing. *)
Theorem prop4 : forall (Row Cell : Type) (eqb : Cell -> Cell -> bool),
  (forall c c', eqb c c' = true <-> c = c') -> forall (g : Row -> Cell) (k : nat), (1 <= k)%nat ->
  (forall (t : Row) eps delta, delta < 1 -> ~ DP Row (neighbours Row) eps delta (anonymize Row Cell eqb g k)) /\
  (forall (t u : Row) eps delta, g t <> g u -> delta < 1 -> ~ DP Row (replaced Row) eps delta (anonymize Row Cell eqb g k)) /\
  ((forall t u, g t = g u) -> DP Row (replaced Row) 0 0 (anonymize Row Cell eqb g k)).
Proof. intros Row Cell eqb H g k Hk. split; [| split].
 - exact (not_private_add_remove Row Cell eqb H g k Hk).
 - exact (not_private_replace Row Cell eqb H g k Hk).
 - exact (degenerate Row Cell eqb g k). Qed.

(** LQS 3.3. gamma - beta = (e^eps - 1)(1 - beta)/e^eps, which is positive for eps > 0; and gamma is below 1. *)
Theorem gamma_above_beta : forall eps beta : R, 0 < eps -> 0 < beta < 1 ->
  gamma eps beta - beta = (exp eps - 1) * (1 - beta) / exp eps /\ beta < gamma eps beta < 1.
Proof. intros eps beta He Hb. assert (X : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing; lra).
 assert (I : gamma eps beta - beta = (exp eps - 1) * (1 - beta) / exp eps) by (unfold gamma; field; lra).
 split. exact I. split.
 - assert (0 < (exp eps - 1) * (1 - beta) / exp eps) by (apply Rdiv_lt_0_compat; nra). lra.
 - assert (G := gamma_exp eps beta). apply Rmult_lt_reg_r with (exp eps); lra. Qed.

(** LQS Theorem 5. Sampling at rate beta and then a strongly safe k-anonymization is (beta, eps, delta)-DPS for
    eps >= -ln(1-beta), with delta the largest Pr[Bin(n, beta) > gamma n] over n >= n_m = ceil(k/gamma - 1): for every
    number delta that none of these exceeds (and delta < beta, which Definition 3 asks for). *)
Theorem thm5 : forall (Row Cell : Type) (eqb : Cell -> Cell -> bool), (forall c c', eqb c c' = true <-> c = c') ->
  forall (g : Row -> Cell) (k n_m : nat) (beta eps delta : R), (1 <= k)%nat -> 0 < beta < 1 -> - ln (1 - beta) <= eps ->
  gamma eps beta * INR n_m < INR k -> INR k <= gamma eps beta * (INR n_m + 1) ->
  (forall n, (n_m <= n)%nat -> above beta (gamma eps beta) n <= delta) ->
  (forall O, private Row beta (exp eps) delta (anonymize Row Cell eqb g k O)) /\
  (delta < beta -> DPS Row beta eps delta (anonymize Row Cell eqb g k)).
Proof. intros Row Cell eqb H g k nm beta eps delta Hk Hb He H1 H2 Hd. assert (P := theorem5 Row Cell eqb H g k beta eps nm delta Hb Hk He H1 H2 Hd).
 split. exact P. intro Hlt. split. exact Hlt. exact P. Qed.

(** Beyond LQS Theorem 5. The exact delta of sampling and a strongly safe k-anonymization, for every eps >= -ln(1-beta). With p + 1 the first n at or
    above (k-1)/gamma it is Pr[Bin(p+1) >= k] - e^eps Pr[Bin(p) >= k]; this is enough for every dataset, recoding and
    event, and nothing smaller is. *)
Theorem thm5_tight : forall (Row Cell : Type) (eqb : Cell -> Cell -> bool), (forall c c', eqb c c' = true <-> c = c') ->
  forall (g : Row -> Cell) (t : Row) (k p : nat) (beta eps : R), (1 <= k)%nat -> 0 < beta < 1 -> - ln (1 - beta) <= eps ->
  gamma eps beta * INR p <= INR k - 1 -> INR k - 1 <= gamma eps beta * (INR p + 1) ->
  forall delta, (forall O, private Row beta (exp eps) delta (anonymize Row Cell eqb g k O)) <-> gain beta (exp eps) p k <= delta.
Proof. intros Row Cell eqb H g t k p beta eps Hk Hb He H1 H2 delta. split.
 - intro P. apply (tight_is_least Row Cell eqb H g k beta (exp eps) p t delta Hb Hk P).
 - intros HG O D D' HD. destruct (tight_at_large_epsilon Row Cell eqb H g k beta eps p Hb Hk He H1 H2 O D D' HD) as [Q1 Q2]. lra. Qed.

(** Beyond LQS Theorem 5. For 0 <= eps < -ln(1-beta), where Theorem 5 is silent, the exact delta of sampling and a
    strongly safe k-anonymization is the
    larger of the number of thm5-tight and of Pr[Bin(p') < k] - e^eps Pr[Bin(p'+1) < k], with p' + 1 the first n at or above (k-1)/(1 - e^eps (1-beta)). *)
Theorem thm5_small_eps : forall (Row Cell : Type) (eqb : Cell -> Cell -> bool), (forall c c', eqb c c' = true <-> c = c') ->
  forall (g : Row -> Cell) (t : Row) (k p p' : nat) (beta eps : R), (1 <= k)%nat -> 0 < beta < 1 -> 0 <= eps -> eps < - ln (1 - beta) ->
  gamma eps beta * INR p <= INR k - 1 -> INR k - 1 <= gamma eps beta * (INR p + 1) ->
  (1 - exp eps * (1 - beta)) * INR p' <= INR k - 1 -> INR k - 1 <= (1 - exp eps * (1 - beta)) * (INR p' + 1) ->
  forall delta, (forall O, private Row beta (exp eps) delta (anonymize Row Cell eqb g k O)) <->
    Rmax (gain beta (exp eps) p k) (gain_less beta (exp eps) p' k) <= delta.
Proof. intros Row Cell eqb H g t k p p' beta eps Hk Hb He Hs H1 H2 H3 H4 delta. split.
 - intro P. apply Rmax_lub.
   + apply (tight_is_least Row Cell eqb H g k beta (exp eps) p t delta Hb Hk P).
   + apply (tight_is_least Row Cell eqb H g k beta (exp eps) p' t delta Hb Hk P).
 - intros HG O D D' HD. destruct (tight_at_small_epsilon Row Cell eqb H g k beta eps p p' Hb Hk He Hs H1 H2 H3 H4 O D D' HD) as [Q1 Q2]. lra. Qed.

(** Beyond LQS Theorem 5. The exact delta is never above d: no number that bounds every tail of Theorem 5 is below the
    number of thm5-tight. *)
Theorem thm5_below_d : forall (k n_m p : nat) (beta eps delta : R), (1 <= k)%nat -> 0 < beta < 1 -> - ln (1 - beta) <= eps ->
  gamma eps beta * INR n_m < INR k -> INR k <= gamma eps beta * (INR n_m + 1) ->
  gamma eps beta * INR p <= INR k - 1 -> INR k - 1 <= gamma eps beta * (INR p + 1) ->
  (forall n, (n_m <= n)%nat -> above beta (gamma eps beta) n <= delta) -> gain beta (exp eps) p k <= delta.
Proof. intros k nm p beta eps delta Hk Hb He H1 H2 H3 H4 Hd. assert (EQ : forall c c', Bool.eqb c c' = true <-> c = c') by exact eqb_true_iff.
 apply (thm5_tight bool bool Bool.eqb EQ (fun r => r) true k p beta eps Hk Hb He H3 H4 delta).
 exact (proj1 (thm5 bool bool Bool.eqb EQ (fun r => r) k nm beta eps delta Hk Hb He H1 H2 Hd)). Qed.

(** Beyond LQS Theorem 5. d(k, beta, eps) <= rho^k with rho = beta e^(eps/gamma)/(e^eps - 1 + beta), which is at most 1:
    no tail Pr[Bin(n, beta) > gamma n] with n >= n_m exceeds rho^k. *)
Theorem d_closed_form : forall (k n_m : nat) (beta eps : R), (1 <= k)%nat -> 0 < beta < 1 -> 0 <= eps ->
  gamma eps beta * INR n_m < INR k -> INR k <= gamma eps beta * (INR n_m + 1) ->
  rho eps beta <= 1 /\ forall n, (n_m <= n)%nat -> above beta (gamma eps beta) n <= rho eps beta ^ k.
Proof. intros k nm beta eps Hk Hb He H1 H2. split. exact (rho_at_most_1 beta eps Hb He).
 exact (closed_form beta eps Hb He k nm Hk H1 H2). Qed.

(** Beyond LQS Theorem 5. The maximum over infinitely many n is one over finitely many numbers: delta is at least every
    tail Pr[Bin(n, beta) > gamma n] with n >= n_m, if it is at least rho^M for some M, and every count m from k to M - 1
    has a count m' <= m, and a number r of rows left out with m <= gamma (m + r + 1), such that delta is at least
    Pr[Bin(m' + r, beta) >= m']. *)
Theorem d_maximum : forall (k n_m M : nat) (beta eps delta : R), (1 <= k)%nat -> 0 < beta < 1 -> 0 <= eps ->
  gamma eps beta * INR n_m < INR k -> INR k <= gamma eps beta * (INR n_m + 1) -> rho eps beta ^ M <= delta ->
  (forall m, (k <= m)%nat -> (m < M)%nat ->
     exists m' r, (m' <= m)%nat /\ INR m <= gamma eps beta * (INR (m + r) + 1) /\ at_least beta (m' + r) m' <= delta) ->
  forall n, (n_m <= n)%nat -> above beta (gamma eps beta) n <= delta.
Proof. intros k nm M beta eps delta Hk Hb He H1 H2 HM Hd. exact (maximum beta eps Hb He k nm Hk H1 H2 M delta HM Hd). Qed.

(** LQS 3.3. With k and beta fixed, d does not grow with eps; with beta and eps fixed, it does not grow with k: what
    bounds every tail of Theorem 5 for k and eps bounds every tail for k' >= k and eps' >= eps. *)
Theorem d_order : forall (k k' n_m n_m' : nat) (beta eps eps' delta : R), (1 <= k)%nat -> (k <= k')%nat -> 0 < beta < 1 ->
  0 <= eps -> eps <= eps' ->
  gamma eps beta * INR n_m < INR k -> INR k <= gamma eps beta * (INR n_m + 1) ->
  gamma eps' beta * INR n_m' < INR k' -> INR k' <= gamma eps' beta * (INR n_m' + 1) ->
  (forall n, (n_m <= n)%nat -> above beta (gamma eps beta) n <= delta) ->
  forall n, (n_m' <= n)%nat -> above beta (gamma eps' beta) n <= delta.
Proof. intros k k' nm nm' beta eps eps' delta Hk Hkk Hb He Hee H1 H2 H3 H4 Hd. exact (order beta eps eps' k k' nm nm' delta Hb He Hee Hk Hkk H1 H2 H3 H4 Hd). Qed.

(** LQS Theorem 6. As printed it does not hold: not every k-anonymization whose recoding is chosen by an eps1-safe first
    step from the sample that it is applied to is (beta, eps, delta)-DPS with delta = d(k, beta, eps - eps1). *)
Theorem thm6_fails : ~ forall (Row Cell : Type) (eqb : Cell -> Cell -> bool), (forall c c', eqb c c' = true <-> c = c') ->
  forall (G : list (Row -> Cell)) (w : list Row -> (Row -> Cell) -> R) (k n_m : nat) (beta eps1 eps delta : R),
  (1 <= k)%nat -> 0 < beta < 1 -> 0 <= eps1 -> eps1 - ln (1 - beta) <= eps -> delta < beta ->
  choice Row Cell G w -> safe Row Cell (exp eps1) w ->
  gamma (eps - eps1) beta * INR n_m < INR k -> INR k <= gamma (eps - eps1) beta * (INR n_m + 1) ->
  (forall n, (n_m <= n)%nat -> above beta (gamma (eps - eps1) beta) n <= delta) ->
  DPS Row beta eps delta (one_sample Row Cell eqb G w k).
Proof. intro H. apply not_private. rewrite <- (exp_ln 8) by lra.
 apply (H bool bool Bool.eqb eqb_true_iff names pick 2%nat 2%nat (1/3) (ln 4) (ln 8) (1/9)); try rewrite gamma_here; try lra; try lia.
 - rewrite <- ln_1. left. apply ln_increasing; lra.
 - replace (1 - 1/3) with (2/3) by lra. replace (ln 4 - ln (2/3)) with (ln 6). left. apply ln_increasing; lra.
   replace 4 with (6 * (2/3)) by lra. rewrite ln_mult by lra. ring.
 - exact pick_is_a_choice.
 - rewrite exp_ln by lra. exact pick_is_safe.
 - simpl. lra.
 - simpl. lra.
 - exact printed_delta. Qed.

(** LQS Theorem 6, repaired. If the recoding is one of finitely many, chosen by an eps1-safe first step from a sample of
    its own (at any rate, also from the full data: beta1 = 1), the algorithm is (eps, delta)-DP for eps >= eps1 - ln(1-beta) with
    delta = d(k, beta, eps - eps1), for every event of the recoding and the release together. *)
Theorem thm6_two_samples : forall (Row Cell : Type) (eqb : Cell -> Cell -> bool), (forall c c', eqb c c' = true <-> c = c') ->
  forall (G : list (Row -> Cell)) (w : list Row -> (Row -> Cell) -> R) (k n_m : nat) (beta1 beta eps1 eps delta : R),
  (1 <= k)%nat -> 0 <= beta1 <= 1 -> 0 < beta < 1 -> 0 <= eps1 -> eps1 - ln (1 - beta) <= eps ->
  choice Row Cell G w -> safe Row Cell (exp eps1) w ->
  gamma (eps - eps1) beta * INR n_m < INR k -> INR k <= gamma (eps - eps1) beta * (INR n_m + 1) ->
  (forall n, (n_m <= n)%nat -> above beta (gamma (eps - eps1) beta) n <= delta) ->
  DP Row (neighbours Row) eps delta (two_samples Row Cell eqb G w k beta1 beta).
Proof. intros Row Cell eqb H G w k nm beta1 beta eps1 eps delta Hk Hb1 Hb He1 He Hc Hs H1 H2 Hd O D D' HD.
 replace (exp eps) with (exp eps1 * exp (eps - eps1)) by (rewrite <- exp_plus; f_equal; lra).
 apply independent_choice; try assumption.
 - left; apply exp_pos.
 - apply exp_at_least_1; exact He1.
 - apply Rle_trans with (above beta (gamma (eps - eps1) beta) nm); [| apply Hd; lia]. apply sum_nn. intro j. unfold ind. destruct (less _ _); [apply f_nn; exact Hb | lra].
 - intros g O0. apply (theorem5 Row Cell eqb H g k beta (eps - eps1) nm delta); try assumption. lra. Qed.

(** Gehrke, Hay, Lui, Pass. A (k, eps)-crowd-blending mechanism that ignores the order of the rows, on a sample at rate
    p, is (eps', delta')-DP with e^eps' = p(2-p)/(1-p) e^eps + (1-p) and delta' the largest over n of the sum of
    (j/n) f(j; n, p) over j >= k, j > (1-(1-p)^2) n. *)
Theorem cbp_main : forall (Row Event : Type) (A : Event -> list Row -> R) (k : nat) (p eps delta : R),
  0 < p < 1 -> 0 <= eps -> (forall O s, 0 <= A O s <= 1) -> (forall O s s', Permutation s s' -> A O s = A O s') ->
  crowd_blending Row k (exp eps) A -> (forall n, (1 <= n)%nat -> blending_delta p (1 - (1 - p) * (1 - p)) k n <= delta) ->
  forall O, private Row p (p * (2 - p) / (1 - p) * exp eps + (1 - p)) delta (A O).
Proof. intros Row Event A k p eps delta Hp He HA Ho Hc Hd. apply (sampled_crowd_blending Row Event A k p (exp eps) Hp (exp_at_least_1 eps He) HA Ho Hc delta Hd). Qed.

(** Beyond Gehrke, Hay, Lui, Pass. The maximum of cbp-main over infinitely many n is one over finitely many numbers, with
    g = 1-(1-p)^2: delta is at least every delta'(n) with n >= 1, if it is at least rho^M for some M, with the rho of
    d-closed-form at eps = -ln(1-p), and every count m from k to M - 1 has a count m' <= m, and a number r of rows left
    out with m <= g (m + r + 1), such that delta is at least p Pr[Bin(m' - 1 + r, p) >= m' - 1]. *)
Theorem cbp_maximum : forall (k M : nat) (p delta : R), (1 <= k)%nat -> 0 < p < 1 -> rho (- ln (1 - p)) p ^ M <= delta ->
  (forall m, (k <= m)%nat -> (m < M)%nat -> exists m' r, (1 <= m')%nat /\ (m' <= m)%nat /\
     INR m <= (1 - (1 - p) * (1 - p)) * (INR (m + r) + 1) /\ p * at_least p (m' - 1 + r) (m' - 1) <= delta) ->
  forall n, (1 <= n)%nat -> blending_delta p (1 - (1 - p) * (1 - p)) k n <= delta.
Proof. intros k M p delta Hk Hp HM Hd. exact (blending_maximum p Hp k M delta Hk HM Hd). Qed.

(** Gehrke, Hay, Lui, Pass. The first attempt, without the clause on ignored rows, is differential privacy for replaced
    rows: if in every dataset of k >= 2 or more rows each row is indistinguishable from k - 1 others, then every two rows
    are indistinguishable. *)
Theorem cbp_first : forall (Row Event : Type) (A : Event -> list Row -> R) (k : nat) (x : R), (2 <= k)%nat ->
  (forall t s, (k <= length (t :: s))%nat -> crowd Row x A k t (t :: s)) -> forall t u, alike Row x A t u.
Proof. intros Row Event. exact (@first_attempt Row Event). Qed.

(** Gehrke, Hay, Lui, Pass. The histogram with counts below k set to 0 is (k, 0)-crowd-blending, is not (eps, delta)-DP
    for any delta < 1, and is the strongly safe k-anonymization with the bins as its recoding. *)
Theorem cbp_hist : forall (Row Cell : Type) (eqb : Cell -> Cell -> bool), (forall c c', eqb c c' = true <-> c = c') ->
  forall (g : Row -> Cell) (k : nat), (1 <= k)%nat ->
  crowd_blending Row k 1 (anonymize Row Cell eqb g k) /\
  (forall (t : Row) eps delta, delta < 1 -> ~ DP Row (neighbours Row) eps delta (anonymize Row Cell eqb g k)) /\
  (forall s c, release Row Cell eqb g k s c = if (count Row Cell eqb g c s <? k)%nat then 0%nat else count Row Cell eqb g c s).
Proof. intros Row Cell eqb H g k Hk. split; [| split].
 - exact (histogram_blends Row Cell eqb H g k).
 - exact (not_private_add_remove Row Cell eqb H g k Hk).
 - reflexivity. Qed.
